import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { repositoryFiles } from '../scripts/files.ts'
import { format, tidy, walls } from '../scripts/tidy.ts'

/** One planted violation: it must be found, and its innocent neighbour must not. */
type Plant = { rule: string; path: string; bad: string; good: string }

// Text rules look into this file too, so their needles are put together.
const slash = '/'

// biome-ignore format: one plant, one line
const plants: readonly Plant[] = [
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `import { x } from '../runtime/x.ts'`, good: `import { x } from './x.ts'` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `import type { E } from '../errors.ts'`, good: `// from '../errors.ts'` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `import heap from 'flatqueue'`, good: `const s = "import heap from 'flatqueue'"` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `import type { F } from 'node:fs'`, good: `type F = { from: 'node:fs' }` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `export * from '../ports/x.ts'`, good: `export * from './offset-map/x.ts'` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `const m = import('../ports/x.ts')`, good: `const m = o.import('../ports/x.ts')` },
  { rule: 'wall', path: 'src/kernel/a.ts', bad: `const m = import(name)`, good: 'const m = `import(name)`' },
  { rule: 'wall', path: 'src/ports/a.ts', bad: `import { x } from '../kernel/x.ts'`, good: `import type { X } from '../kernel/x.ts'` },
  { rule: 'wall', path: 'src/ports/a.ts', bad: `import { type X } from '../kernel/x.ts'`, good: `export type { X } from '../kernel/x.ts'` },
  { rule: 'wall', path: 'src/ports/a.ts', bad: `import fs from 'node:fs'`, good: `import type { Stats } from 'node:fs'` },
  { rule: 'wall', path: 'src/runtime/a.ts', bad: `import { x } from '../clients/x.ts'`, good: `import { x } from '../kernel/x.ts'` },
  { rule: 'wall', path: 'src/engines/a.ts', bad: `new Worker(new URL('../runtime/worker.ts', import.meta.url))`, good: `new Worker(new URL('./worker.ts', import.meta.url))` },
  { rule: 'wall', path: 'src/engines/a.ts', bad: `import '../kernel/x.ts'`, good: `import type { X } from '../kernel/x.ts'` },
  { rule: 'wall', path: 'src/stores/a.ts', bad: `import { x } from '../protocol/x.ts'`, good: `import { E } from '../errors.ts'` },
  { rule: 'wall', path: 'src/clients/a.ts', bad: `import { x } from '../broker/x.ts'`, good: `import { x } from '../protocol/x.ts'` },
  { rule: 'wall', path: 'src/producer/a.ts', bad: `import { x } from '../kernel/x.ts'`, good: `import { x } from '../protocol/x.ts'` },
  { rule: 'wall', path: 'src/protocol/a.ts', bad: `import type { X } from '../ports/x.ts'`, good: `import zlib from 'node:zlib'` },
  { rule: 'wall', path: 'src/broker/a.ts', bad: `import type { X } from '../kernel/x.ts'`, good: `import { x } from '../protocol/x.ts'` },
  { rule: 'wall', path: 'src/telemetry/a.ts', bad: `import { x } from '../runtime/x.ts'`, good: `import type { X } from '../ports/x.ts'` },
  { rule: 'wall', path: 'src/dashboard/a.ts', bad: `import type { X } from '../runtime/x.ts'`, good: `import { x } from '../telemetry/x.ts'` },
  { rule: 'wall', path: 'src/errors.ts', bad: `import { x } from './kernel/x.ts'`, good: 'export class E extends Error {}' },
  { rule: 'wall', path: 'src/runtime/a.ts', bad: `import { x } from 'fanlane/ports'`, good: `import { x } from 'fanlanes'` },
  { rule: 'wall', path: 'src/runtime/a.ts', bad: `import { x } from '../../test/x.ts'`, good: `import { x } from './x.ts'` },
  { rule: 'ports-types', path: 'src/ports/a.ts', bad: 'export const a = 1', good: 'export type A = 1' },
  { rule: 'ports-types', path: 'src/ports/a.ts', bad: 'export class A {}', good: 'declare const a: unique symbol' },
  { rule: 'ports-types', path: 'src/ports/a.ts', bad: `export * from './b.ts'`, good: `export type * from './b.ts'` },
  { rule: 'kernel-clock', path: 'src/kernel/a.ts', bad: 'const t = Date.now()', good: 'const t = nowMs // not Date.now()' },
  { rule: 'kernel-clock', path: 'src/kernel/a.ts', bad: 'const t = new Date()', good: 'type T = { Date: number }' },
  { rule: 'kernel-clock', path: 'src/kernel/a.ts', bad: 'const t = performance.now()', good: `const t = 'performance.now()'` },
  { rule: 'kernel-random', path: 'src/kernel/a.ts', bad: 'const r = Math.random()', good: 'const r = Math.floor(1.5)' },
  { rule: 'kernel-async', path: 'src/kernel/a.ts', bad: 'async function f() {}', good: `const engine = 'async'` },
  { rule: 'kernel-async', path: 'src/kernel/a.ts', bad: 'type P = Promise<void>', good: 'type P = { Promise: 1 }' },
  { rule: 'kernel-async', path: 'src/kernel/a.ts', bad: 'await f()', good: 'f() // await' },
  { rule: 'raw-timer', path: 'src/runtime/a.ts', bad: 'setTimeout(f, 1)', good: 'clock.setTimeout(f, 1)' },
  { rule: 'raw-timer', path: 'src/engines/a.ts', bad: 'globalThis.setInterval(f, 1)', good: `log('setInterval')` },
  { rule: 'raw-timer', path: 'src/cli/a.ts', bad: 'queueMicrotask(f)', good: '/* queueMicrotask(f) */' },
  { rule: 'raw-timer', path: 'src/stores/a.ts', bad: 'const later = setImmediate', good: 'const later = soon' },
  { rule: 'raw-timer', path: 'src/cli/a.ts', bad: `import { setTimeout as s } from 'node:timers/promises'`, good: `import 'node:tty'` },
  { rule: 'empty-catch', path: 'src/runtime/a.ts', bad: 'try { f() } catch {}', good: 'try { f() } catch { n++ }' },
  { rule: 'empty-catch', path: 'test/a.ts', bad: 'try { f() } catch (e) { /* fine */ }', good: 'try { f() } catch (e) { g(e) }' },
  { rule: 'empty-catch', path: 'scripts/a.ts', bad: 'p.catch(() => {})', good: 'p.catch(() => { n++ })' },
  { rule: 'any-cast', path: 'test/a.ts', bad: 'f(x as any)', good: 'f(x as unknown) // as any' },
  { rule: 'any-cast', path: 'src/cli/a.ts', bad: 'f(<any>x)', good: 'f(many > x)' },
  { rule: 'focused-test', path: 'test/a.test.ts', bad: `test.only('x', f)`, good: `test('.only(', f)` },
  { rule: 'focused-test', path: 'test/a.test.ts', bad: `test('x', { only: true }, f)`, good: `test('x', { only: false }, f)` },
  { rule: 'console', path: 'src/runtime/a.ts', bad: `console.log('x')`, good: `log('console.log')` },
  { rule: 'console', path: 'test/a.test.ts', bad: `console.log('x')`, good: '// console.log' },
  { rule: 'marker', path: 'docs/a.md', bad: `${'TO'}DO: later`, good: 'method' },
  { rule: 'marker', path: 'src/kernel/a.ts', bad: `// ${'FIX'}ME`, good: '// fixed' },
  { rule: 'machine-path', path: 'README.md', bad: `see ${slash}work/main`, good: 'see src/work/main' },
  { rule: 'machine-path', path: 'bench/a.ts', bad: `const d = '${slash}root/x'`, good: `const d = 'example.org/root/x'` },
  { rule: 'machine-path', path: 'package.json', bad: `"x": "${slash}home/me"`, good: `"x": "./home/me"` },
  { rule: 'registry-host', path: 'package-lock.json', bad: `"u": "x.${'registry.'}npmjs.org"`, good: '"u": "npm"' },
  { rule: 'registry-host', path: 'docs/a.md', bad: `${'repo1.'}maven.org`, good: 'Maven Central' },
  { rule: 'registry-host', path: 'package-lock.json', bad: `"resolved":${' '}"http://mirror/a.tgz"`, good: '"version": "1.0.0"' },
  { rule: 'ts-ignore', path: 'src/cli/a.ts', bad: `// @ts-${'ignore'}`, good: '// @ts-expect-error: not a number' },
  { rule: 'long-file', path: 'src/runtime/a.ts', bad: 'f()\n'.repeat(401), good: 'f()\n'.repeat(400) },
]

const firstLine = (text: string): string => text.split('\n')[0] as string

describe('tidy', () => {
  test('the house is tidy', () => {
    assert.deepEqual(tidy(repositoryFiles()).map(format), [])
  })

  for (const { rule, path, bad, good } of plants) {
    test(`finds ${rule} in ${path}: ${firstLine(bad)}`, () => {
      const found = tidy([{ path, text: `// a line before\n${bad}\n` }])
      assert.deepEqual([...new Set(found.map((violation) => violation.rule))], [rule])
      assert.equal(found[0]?.line, rule === 'long-file' ? 401 : 2)
    })
    test(`lets pass in ${path}: ${firstLine(good)}`, () => {
      assert.deepEqual(tidy([{ path, text: good }]).map(format), [])
    })
  }

  test('finds a ring of imports; types alone make none', () => {
    const ring = [
      { path: 'src/kernel/a.ts', text: `import { b } from './b.ts'` },
      { path: 'src/kernel/b.ts', text: `import { c, type C } from './c.ts'` },
      { path: 'src/kernel/c.ts', text: `export { a } from './a.ts'` },
      { path: 'src/kernel/d.ts', text: `import { a } from './a.ts'` },
    ]
    assert.deepEqual(
      tidy(ring).map(({ rule, message }) => `${rule} ${message}`),
      ['cycle src/kernel/a.ts → src/kernel/b.ts → src/kernel/c.ts → src/kernel/a.ts'],
    )
    assert.deepEqual(tidy(ring.slice(1)), [])
    const byType = { path: 'src/kernel/b.ts', text: `import type { C } from './c.ts'` }
    assert.deepEqual(tidy([...ring.filter(({ path }) => path !== byType.path), byType]), [])
  })

  test('a room without walls is refused', () => {
    const [violation] = tidy([{ path: 'src/attic/a.ts', text: '' }])
    assert.match(violation?.message ?? '', /src\/attic is a new room/)
  })

  test('generated files may be long', () => {
    assert.deepEqual(tidy([{ path: 'src/protocol/generated/a.ts', text: 'f()\n'.repeat(5000) }]), [])
  })

  test('timers are allowed where time is made', () => {
    for (const path of ['src/system-clock.ts', 'src/broker/server.ts', 'src/testing/drain.ts']) {
      assert.deepEqual(tidy([{ path, text: 'setImmediate(f)' }]), [])
    }
  })

  test('composition roots may import from every room', () => {
    for (const root of ['src/index.ts', 'src/consume.ts', 'src/cli/main.ts', 'src/testing/index.ts']) {
      const up = root.split('/').length === 2 ? './' : '../'
      const text = Object.keys(walls).map((room) => `import '${up}${room.endsWith('.ts') ? room : `${room}/x.ts`}'`)
      const found = tidy([{ path: root, text: text.join('\n') }]).filter(({ rule }) => rule === 'wall')
      assert.deepEqual(found, [])
    }
  })
})
