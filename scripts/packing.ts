/**
 * The package as it would be published, made in a directory of its own: dist/ of the repository, which somebody may be using, is
 * left alone.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './files.ts'

const execute = promisify(execFile)

export interface PackedFile {
  readonly path: string
  readonly size: number
}

export interface Packed {
  readonly name: string
  readonly version: string
  /** Of the tarball, and of what is in it. */
  readonly bytes: number
  readonly unpackedBytes: number
  readonly files: readonly PackedFile[]
  /** Where the tarball is. */
  readonly tarball: string
}

interface Manifest {
  readonly files: readonly string[]
}

/** Compiles into `directory` and packs it there. */
export async function packInto(directory: string): Promise<Packed> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const dist = join(directory, 'dist')
  const page = join(dist, 'dashboard/page')
  mkdirSync(page, { recursive: true })
  // Types are checked elsewhere: here it is only written out.
  const flags = ['--noCheck', '--outDir', dist]
  await execute(process.execPath, [tsc, '-p', join(root, 'src/dashboard/page/tsconfig.build.json'), ...flags])
  await execute(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), ...flags])
  const source = join(root, 'src/dashboard/page')
  for (const name of readdirSync(source)) {
    if (/\.(html|css)$/.test(name)) copyFileSync(join(source, name), join(page, name))
  }
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  for (const name of ['package.json', ...files]) {
    if (name !== 'dist' && existsSync(join(root, name)))
      cpSync(join(root, name), join(directory, name), { recursive: true })
  }
  const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--silent'], { cwd: directory })
  const [told] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { name: string; version: string; filename: string; size: number; unpackedSize: number; files: PackedFile[] },
  ]
  const { name, version, filename, size, unpackedSize } = told
  const tarball = join(directory, filename)
  return { name, version, bytes: size, unpackedBytes: unpackedSize, files: told.files, tarball }
}
