/**
 * The examples of integrations run, and print what they should. They import `fanlane/…` as users do; here that leads to the
 * source, so that nothing has to be built first.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { root } from '../../scripts/files.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
mkdirSync(join(root, '.cache'), { recursive: true })
const directory = mkdtempSync(join(root, '.cache', 'examples-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const RUN_MS_MAX = 60_000

function run(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: directory, timeout: RUN_MS_MAX }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

/** 'fanlane/nestjs' → ../../../src/integrations/nestjs/index.ts, by the exports that users get. */
function toSource(program: string): string {
  return program.replaceAll(/(?<=from ')fanlane[^']*(?=')/g, (specifier) => {
    const target = manifest.exports[specifier.replace(/^fanlane/, '.')]
    assert.ok(typeof target === 'object', `${specifier} is not exported by package.json`)
    return target.default.replace('./dist/', '../../../src/').replace(/\.js$/, '.ts')
  })
}

/** A copy of the example that runs from source. */
function copyOf(name: string): string {
  const to = join(directory, name)
  mkdirSync(to)
  const from = join(root, 'examples', name)
  for (const file of readdirSync(from).filter((each) => each.endsWith('.ts'))) {
    writeFileSync(join(to, file), toSource(readFileSync(join(from, file), 'utf8')))
  }
  return join(to, 'main.ts')
}

async function prints(file: string, expected: string): Promise<void> {
  const { code, out, err } = await run([file])
  assert.equal(code, 0, `${out}${err}`)
  assert.equal(out.trimEnd(), expected, err)
}

describe('examples of integrations', { timeout: 120_000, concurrency: 2 }, () => {
  test('standard-schema: a schema checks records and types the handler', () =>
    prints(
      copyOf('standard-schema'),
      [
        'ann pays 20.00 for order 1 of 2026',
        'dead letter: It does not pass its schema: amount: Too small: expected number to be >0.',
        'ann pays 30.00 for order 3 of 2026',
      ].join('\n'),
    ))

  test('cloudevents: both content modes through one handler', () =>
    prints(
      copyOf('cloudevents'),
      [
        'order.paid evt-1: 20',
        'order.paid evt-2: 20',
        'Not a CloudEvent: it has neither ce_ headers nor the content-type application/cloudevents+json.',
        'printed receipt-evt-1 for order-7',
        'printed receipt-evt-2 for order-7',
      ].join('\n'),
    ))

  test('schema-registry: Avro out and in', () =>
    prints(
      copyOf('schema-registry'),
      ['on the wire: 000000000102610e', 'order-1: 10', 'order-2: 20', 'order-3: 30'].join('\n'),
    ))

  test('fastify: a web service that consumes', () =>
    prints(
      copyOf('fastify'),
      ['total of ann: { total: 42 }', 'ready: 200', 'metrics: yes', 'dashboard: 200', 'closed'].join('\n'),
    ))

  test('nestjs: with decorators, compiled as its users would', async () => {
    const example = join(root, 'examples', 'nestjs')
    // Types are checked by `npm run check`, against those of the package.
    const outDir = join(directory, 'nestjs')
    const config = join(directory, 'nestjs.json')
    const compilerOptions = { noCheck: true, noResolve: true, types: [], outDir }
    const include = [join(example, '*.ts')]
    writeFileSync(config, JSON.stringify({ extends: join(example, 'tsconfig.json'), compilerOptions, include }))
    const emitted = await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', config])
    assert.equal(emitted.code, 0, `${emitted.out}${emitted.err}`)
    const main = join(outDir, 'main.js')
    writeFileSync(main, toSource(readFileSync(main, 'utf8')))
    await prints(
      main,
      [
        'ann: order 1, attempt 1, total 20',
        'audit: order 1',
        'ann: order 2, attempt 2, total 42',
        'audit: order 2',
        'dead letter: order 3 has a negative amount',
        'ann: order 4, attempt 1, total 50',
        'audit: order 4',
      ].join('\n'),
    )
  })

  test('the guide shows the controller of the NestJS example as it is', () => {
    const page = readFileSync(join(root, 'docs/guide/integrations.md'), 'utf8')
    const main = readFileSync(join(root, 'examples/nestjs/main.ts'), 'utf8')
    const shown = [...page.matchAll(/^```typescript\n([\s\S]*?)^```$/gm)].map(([, text]) => text as string)
    assert.ok(shown.length > 0)
    for (const text of shown) {
      for (const part of text.split('\n\n'))
        assert.ok(main.includes(part.trim()), `not in examples/nestjs/main.ts:\n${part}`)
    }
  })
})
