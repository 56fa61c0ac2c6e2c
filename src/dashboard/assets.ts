/**
 * The files of the page, by the paths that a browser asks for. There is no build step while developing: from source, types are
 * stripped when a file is asked for; from the package, the compiled files are served.
 *
 * Always: the table is made once from what is in the folder, and a path that is not in it finds nothing. No file name is ever
 * made from what somebody asked for.
 */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Asset {
  readonly body: Buffer | string
  readonly type: string
}

type Load = () => Promise<Asset>

/** Browsers know no bare names, and an import map would have to be inline, which our content security policy forbids. */
const libraries: Readonly<Record<string, string>> = {
  preact: 'lib/preact.js',
  'preact/hooks': 'lib/preact-hooks.js',
  uplot: 'lib/uplot.js',
}

let table: ReadonlyMap<string, Load> | undefined
const loaded = new Map<string, Promise<Asset>>()

/** Null: there is no such file. */
export async function asset(path: string): Promise<Asset | null> {
  table ??= makeTable()
  const load = table.get(path)
  if (load === undefined) return null
  let answer = loaded.get(path)
  if (answer === undefined) {
    answer = load()
    loaded.set(path, answer)
    // A file that could not be read is read again the next time.
    answer.catch(() => loaded.delete(path))
  }
  return answer
}

function makeTable(): Map<string, Load> {
  const found = new Map<string, Load>()
  const folder = new URL('./page/', import.meta.url)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const inside = relative(fileURLToPath(folder), join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    const url = new URL(inside, folder)
    const path = `/page/${inside}`
    if (inside === 'index.html') found.set('/', () => text(url, 'text/html; charset=utf-8'))
    else if (inside.endsWith('.css')) found.set(path, () => text(url, 'text/css; charset=utf-8'))
    else if (inside.endsWith('.js')) found.set(path, () => script(url, path))
    else if (inside.endsWith('.ts') && !inside.endsWith('.d.ts')) {
      // The page asks for main.js; imports inside of source files end in .ts.
      found.set(path, () => script(url, path))
      found.set(path.replace(/\.ts$/, '.js'), () => script(url, path))
    }
  }
  const uplot = import.meta.resolve('uplot')
  for (const [path, url] of [
    ['/lib/preact.js', import.meta.resolve('preact')],
    ['/lib/preact-hooks.js', import.meta.resolve('preact/hooks')],
    ['/lib/uplot.js', new URL('./uPlot.esm.js', uplot)],
  ] as const) {
    found.set(path, () => script(new URL(url), path))
  }
  found.set('/lib/uplot.css', () => text(new URL('./uPlot.min.css', uplot), 'text/css; charset=utf-8'))
  return found
}

async function text(url: URL, type: string): Promise<Asset> {
  return { body: await readFile(url, 'utf8'), type }
}

/** Imports are relative, so that it does not matter under which path all of this is served. */
async function script(url: URL, path: string): Promise<Asset> {
  const up = '../'.repeat(path.split('/').length - 2)
  const source = await readFile(url, 'utf8')
  const plain = url.pathname.endsWith('.ts') ? withoutTypes(source) : source
  const body = plain
    .replace(/\b(from|import)(\s*)(['"])(preact\/hooks|preact|uplot)\3/g, (_, word, space, quote, name: string) => {
      return `${word}${space}${quote}${up}${libraries[name]}${quote}`
    })
    // Maps are not served.
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
  return { body, type: 'text/javascript; charset=utf-8' }
}

/** Only from source. Its warning that it is new tells nobody who opens a dashboard anything. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  try {
    process.emitWarning = () => undefined
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
