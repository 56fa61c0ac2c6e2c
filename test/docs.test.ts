/**
 * What the pages say is tried: every TypeScript snippet compiles and runs as it stands, prints what the page says it
 * prints, every link leads somewhere, and every npm script that a page names exists.
 *
 * A ```ts block is a whole program that ends by itself. Where a ```text block follows it directly, that is its output.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { repositoryFiles, root } from '../scripts/files.ts'

const SNIPPET_MS_MAX = 60_000

interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** Nothing but blank lines between it and the block before. */
  readonly follows: boolean
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly scripts: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const pages = repositoryFiles().filter(({ path }) => path.endsWith('.md'))
const taught = pages.filter(({ path }) => path === 'README.md' || path.startsWith('docs/guide/'))

/** Fenced blocks, with the line of their first line of text. */
function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly line: number; readonly language: string; readonly follows: boolean; lines: string[] } | null =
    null
  let onlyBlanks = false
  for (const [at, line] of text.split('\n').entries()) {
    if (open !== null) {
      if (line !== '```') open.lines.push(line)
      else {
        blocks.push({
          page,
          line: open.line,
          language: open.language,
          text: open.lines.join('\n'),
          follows: open.follows,
        })
        open = null
        onlyBlanks = true
      }
    } else if (line.startsWith('```')) open = { line: at + 2, language: line.slice(3), follows: onlyBlanks, lines: [] }
    else if (line !== '') onlyBlanks = false
  }
  assert.equal(open, null, `${page}: a code block is not closed`)
  return blocks
}

/** 'fanlane/testing' → ../../src/testing/index.ts, by the exports that users get. */
function resolved(specifier: string): string {
  const target = manifest.exports[specifier.replace(/^fanlane/, '.')]
  assert.ok(typeof target === 'object', `${specifier} is not exported by package.json`)
  return target.default.replace('./dist/', '../../src/').replace(/\.js$/, '.ts')
}

interface Snippet {
  readonly name: string
  readonly file: string
  readonly prints: string | null
}

mkdirSync(join(root, '.cache'), { recursive: true })
const directory = mkdtempSync(join(root, '.cache', 'docs-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const snippets: readonly Snippet[] = taught.flatMap(({ path, text }) => {
  const blocks = blocksOf(path, text)
  return blocks.flatMap((block, at): Snippet[] => {
    if (block.language !== 'ts') return []
    // A block that begins with a comment of its file name is a module that others import.
    const own = /^\/\/ ([\w-]+\.ts)\n/.exec(block.text)?.[1]
    const file = join(directory, own ?? `${path.replaceAll(/\W+/g, '-')}-${block.line}.ts`)
    const program = block.text.replaceAll(/(?<=from ')fanlane[^']*(?=')/g, resolved)
    writeFileSync(file, `${program}\n`)
    const next = blocks[at + 1]
    const prints = next?.language === 'text' && next.follows ? next.text : null
    return [{ name: `${path}:${block.line}`, file, prints }]
  })
})

function run(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: directory, timeout: SNIPPET_MS_MAX }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

describe('documentation', { concurrency: 2 }, () => {
  test('the README and every page of the guide teach by example', () => {
    const without = taught.filter(({ path }) => !snippets.some(({ name }) => name.startsWith(`${path}:`)))
    assert.deepEqual(
      without.map(({ path }) => path),
      [],
    )
  })

  test('snippets compile as strictly as the source', async () => {
    // Snippets have no declarations to make.
    const options = { isolatedDeclarations: false, declaration: false }
    const config = { extends: '../../tsconfig.json', compilerOptions: options, include: ['*.ts'] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const { code, out, err } = await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', directory])
    assert.equal(code, 0, `${out}${err}`)
  })

  for (const { name, file, prints } of snippets) {
    test(`the program at ${name} runs`, async () => {
      const { code, out, err } = await run([file])
      assert.equal(code, 0, `exit code ${code}\n${out}${err}`)
      if (prints !== null) assert.equal(out.trimEnd(), prints)
    })
  }

  test('links lead somewhere', () => {
    const dead = pages.flatMap(({ path, text }) => {
      const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
      const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string)
      return links.filter((target) => !leadsSomewhere(path, target)).map((target) => `${path} → ${target}`)
    })
    assert.deepEqual(dead, [])
  })

  test('npm scripts that pages name exist', () => {
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:]+)/g)]
        .map(([, script]) => script as string)
        .filter((script) => !Object.hasOwn(manifest.scripts, script))
        .map((script) => `${path}: npm run ${script}`),
    )
    assert.deepEqual(unknown, [])
  })
})

function leadsSomewhere(from: string, target: string): boolean {
  if (/^https?:/.test(target)) return true
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? from : join(dirname(from), path)
  if (!existsSync(join(root, file))) return false
  if (anchor === undefined) return true
  const headings = readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].some(([, heading]) => slug(heading as string) === anchor)
}

/** As the usual viewers name a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
