/**
 * Shells for the tests of completion: the one on the PATH, or Debian's package, unpacked into .cache/ without root
 * (`npx node scripts/servers/shells.ts` brings both). An unpacked one is told where its own functions are.
 */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from '../files.ts'
import { unpackOnce } from './debian.ts'

export type ShellName = 'zsh' | 'fish'

export interface FoundShell {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** What the shell itself has to be told first, as lines of its own. */
  readonly setUp: string
}

const shells: readonly ShellName[] = ['zsh', 'fish']

/** null: it is not here. Nothing is downloaded. */
export function findShell(name: ShellName): FoundShell | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name))
  const path = onPath.find((each) => existsSync(each))
  if (path !== undefined) return { path, env: {}, setUp: '' }
  const folder = join(root, '.cache', 'servers', name)
  if (!existsSync(folder)) return null
  const [libraries = ''] = below(join(folder, 'usr/lib'), /-linux-/)
  if (name === 'fish') {
    return {
      path: join(folder, 'usr/bin/fish'),
      env: { LD_LIBRARY_PATH: libraries },
      setUp: `set fish_function_path ${join(folder, 'usr/share/fish/functions')}`,
    }
  }
  const share = join(folder, 'usr/share/zsh')
  const functions = readdirSync(join(share, 'functions'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name: folderName }) => join(parentPath, folderName))
  const [modules = ''] = below(join(libraries, 'zsh'), /^\d/)
  return {
    path: join(folder, 'bin/zsh'),
    env: { LD_LIBRARY_PATH: libraries, FPATH: functions.join(':') },
    setUp: `module_path=(${modules})`,
  }
}

function below(directory: string, pattern: RegExp): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .map((name) => join(directory, name))
}

if (import.meta.main) {
  for (const name of shells) {
    if (findShell(name) === null) await unpackOnce(name)
    console.log(`${name}: ${findShell(name)?.path ?? 'not found'}`)
  }
}
