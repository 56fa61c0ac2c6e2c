/**
 * A Chromium for tests and pictures: the one that CHROMIUM_PATH names, the one on the PATH, or Debian's package, unpacked into
 * .cache/ without root. Rejects with ServerUnavailable where there is none and none can be had.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { findOrUnpack, ServerUnavailable, unpackOnce } from '../servers/debian.ts'

export interface Chromium {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export async function findChromium(): Promise<Chromium> {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && given !== '') return { executablePath: given, env: {} }
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
  const found = onPath.find((path) => existsSync(path))
  if (found !== undefined) return { executablePath: found, env: {} }
  const { bin, env } = await findOrUnpack('chromium', 'chromium', /./)
  // usr/bin/chromium is a script that looks for the program under /usr/lib, where an unpacked one is not.
  const program = join(bin, '../lib/chromium/chromium')
  if (!existsSync(program)) throw new ServerUnavailable("Debian's package chromium has no usr/lib/chromium/chromium")
  // Some of its libraries keep their own libraries in a folder below, which only they know.
  const own = (env.LD_LIBRARY_PATH ?? '').split(delimiter)
  const below = own.map((directory) => join(directory, 'pulseaudio'))
  return { executablePath: program, env: { ...env, LD_LIBRARY_PATH: [...own, ...below].join(delimiter) } }
}

/** Pictures look the same on every machine that can get this font. */
const fontPackage = 'fonts-roboto-unhinted'

/** Without a display. In containers there is often no user namespace for its sandbox, and little shared memory. */
export async function launchChromium({ fonts = false }: { readonly fonts?: boolean } = {}): Promise<Browser> {
  const { executablePath, env } = await findChromium()
  const fontEnv = fonts ? await fontsOf(fontPackage) : {}
  try {
    return await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars'],
      env: { ...definedOnly(process.env), ...env, ...fontEnv },
    })
  } catch (error) {
    const lines = error instanceof Error ? error.message.split('\n') : [String(error)]
    const said = lines.filter((line, i) => i === 0 || line.includes('[err]')).slice(0, 5)
    throw new ServerUnavailable(`Chromium does not start: ${said.join(' ')}`)
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

/** Fontconfig looks for fonts in the user's data folder, too. Without the font, the system's own will do. */
async function fontsOf(packageName: string): Promise<Record<string, string>> {
  try {
    return { XDG_DATA_HOME: join(await unpackOnce(packageName), 'usr/share') }
  } catch (error) {
    if (error instanceof ServerUnavailable) return {}
    throw error
  }
}
