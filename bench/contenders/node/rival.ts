/** A package of this folder's own install; where that was not made, the one of the repository. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(new URL('../../package.json', import.meta.url))

export async function rival<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module
}
