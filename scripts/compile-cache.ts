/**
 * Loaded with --import by what runs the suites: their processes, and the hundreds that they start, need not compile the same sources
 * again and again.
 */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '..', '.cache', 'compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)
