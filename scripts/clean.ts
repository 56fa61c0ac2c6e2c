import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.ts'

rmSync(join(root, 'dist'), { recursive: true, force: true })
