import type { Group } from './entry.ts'

export const engines: Group = {
  title: 'Engines',
  about: 'Threads, processes and engines of your own. `WORKER_…` are failures of one record, which is tried again.',
  entries: {
    HANDLER_LOAD_FAILED: [
      'The handler module cannot be loaded.',
      'A wrong path, a syntax error, or an import that is not found.',
      "Give `new URL('./handler.ts', import.meta.url)`, and see that the module can be imported by itself.",
    ],
    HANDLER_INVALID: [
      'The handler module does not export a handler.',
      'The default export is missing, or no function.',
      'Export the handler as default (and `handleBatch` for batches).',
    ],
    WORKER_DIED: [
      'The worker ended while it ran this record. It is tried again, alone.',
      '`process.exit`, an error that nobody caught, no memory, or a kill. The message says which.',
      'Repair the handler; raise `engine.memoryMb` for lack of memory.',
    ],
    WORKER_BLOCKED: [
      'The handler blocked its worker for longer than `handlerTimeoutMs`, so the worker was ended.',
      'A loop or a synchronous call that does not come back.',
      'Let the handler return to its event loop, or raise `handlerTimeoutMs`.',
    ],
    WORKER_START_FAILED: [
      'A worker could not be started.',
      'Limits of the system, or something in `engine.execArgv`.',
      'See the limits of threads, processes, open files and temporary space.',
    ],
    WORKERS_FAILED: [
      'No worker is left and none can be started: the consumer stops.',
      'The handler module is gone, or fails when it is loaded.',
      'Repair it and start again; what was not finished runs again.',
    ],
    SEND_NOT_PORTABLE: [
      'An output cannot travel from a worker to the consumer.',
      'It holds something that is no text, bytes or number.',
      'Encode it before you send it.',
    ],
    ENGINE_FAILED: [
      'An engine broke its contract: the consumer stops.',
      'An exception out of `submit`, or a completion that makes no sense.',
      'Report failures of handlers as completions; `engineConformance` of `fanlane/testing` finds such mistakes.',
    ],
    UNKNOWN_STATUS: [
      'The cause of the one above: a completion with a status that nobody knows.',
      'An engine of your own.',
      "Say 'done', 'failed', 'deferred' or 'returned'.",
    ],
  },
}
