/** The parts of the dashboard's page that no compiler makes: markup and styles, copied into the package. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.ts'

const from = join(root, 'src/dashboard/page')
const to = join(root, 'dist/dashboard/page')
for (const name of readdirSync(from)) if (/\.(html|css)$/.test(name)) copyFileSync(join(from, name), join(to, name))
