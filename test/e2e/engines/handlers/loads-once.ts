/** Can be loaded once, and not again. */
import { existsSync, writeFileSync } from 'node:fs'

const marker = process.env.FANLANE_TEST_MARKER ?? ''
if (existsSync(marker)) throw new Error('not a second time')
writeFileSync(marker, '')

export default (): never => process.exit(5)
