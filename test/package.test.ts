/** What a user gets with `npm install fanlane`: everything that is needed, and nothing else. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { root } from '../scripts/files.ts'
import { type Packed, packInto } from '../scripts/packing.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const BYTES_MAX = 4 * 2 ** 20
const DEPENDENCIES_MAX = 5

describe('the package', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-package-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  let packed: Packed
  let paths: readonly string[]
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  before(async () => {
    packed = await packInto(directory)
    paths = packed.files.map(({ path }) => path)
  })

  test('has the code, its types, the papers, and nothing else', () => {
    const strange = paths.filter(
      (path) =>
        !/^dist\/.+\.(js|js\.map|d\.ts)$/.test(path) &&
        !/^dist\/dashboard\/page\/[\w-]+\.(html|css)$/.test(path) &&
        !['package.json', 'README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md'].includes(path),
    )
    assert.deepEqual(strange, [])
    assert.deepEqual(
      paths.filter((path) =>
        /^(test|bench|scripts)\/|node_modules\/|\.(test|suite|kafka|soak)\.|\.tsbuildinfo/.test(path),
      ),
      [],
    )
    for (const paper of ['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md']) assert.ok(paths.includes(paper), paper)
  })

  test('maps bring their sources along and name nothing of the machine that built them', () => {
    const maps = paths.filter((path) => path.endsWith('.map'))
    for (const path of maps) {
      const text = readFileSync(join(directory, path), 'utf8')
      const { sources, sourcesContent } = JSON.parse(text) as { sources: string[]; sourcesContent?: string[] }
      assert.equal(sourcesContent?.length, sources.length, path)
      for (const source of sources) assert.ok(source.startsWith('..'), `${path}: ${source}`)
    }
    // Those of the page would be served to browsers.
    assert.ok(!maps.some((path) => path.startsWith('dist/dashboard/page/')))
  })

  test('has every file that its manifest points to', () => {
    const wanted = Object.values(manifest.exports).flatMap((each) =>
      typeof each === 'string' ? [each] : [each.types, each.default],
    )
    for (const path of [...wanted, ...Object.values(manifest.bin)]) {
      assert.ok(paths.includes(path.replace(/^\.\//, '')), path)
    }
  })

  test('has the whole page of the dashboard, markup and styles included', () => {
    const page = readdirSync(join(root, 'src/dashboard/page'), { recursive: true, encoding: 'utf8' })
    const wanted = page.filter((name) => /\.(ts|html|css)$/.test(name)).map((name) => name.replace(/\.ts$/, '.js'))
    for (const name of wanted) assert.ok(paths.includes(`dist/dashboard/page/${name}`), name)
  })

  test('runs nothing when it is installed, and is small', (t) => {
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      assert.ok(!Object.hasOwn(manifest.scripts, script), script)
    }
    const dependencies = Object.keys(manifest.dependencies)
    t.diagnostic(
      `${paths.length} files, ${Math.round(packed.bytes / 1_024)} KiB packed, ${Math.round(packed.unpackedBytes / 1_024)} KiB unpacked, ` +
        `${dependencies.length} dependencies: ${dependencies.join(', ')}`,
    )
    assert.ok(packed.bytes < BYTES_MAX, `${packed.bytes} bytes`)
    assert.ok(dependencies.length <= DEPENDENCIES_MAX, dependencies.join())
  })
})
