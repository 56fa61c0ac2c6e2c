/** Every engine of ours, and one from outside, keeps what the port asks for. */
import { describe, test } from 'node:test'
import { AsyncEngine } from '../../../src/engines/async.ts'
import type { BatchHandler, Handler } from '../../../src/engines/handler.ts'
import {
  conformanceBatchHandler,
  conformanceHandler,
  type EngineSubject,
  engineConformance,
} from '../../../src/testing/index.ts'
import { notebook } from '../support.ts'
import { poolOf } from './support.ts'

const async = (): AsyncEngine =>
  new AsyncEngine({
    handle: conformanceHandler as Handler<unknown, unknown>,
    handleBatch: conformanceBatchHandler as BatchHandler<unknown, unknown>,
    decode: (record) => record,
    laneOf: ({ batch, index }) => batch.keys[index] ?? null,
    logger: notebook(),
    capacity: () => 100,
  })

const subjects: Readonly<Record<string, EngineSubject>> = {
  async: { create: async, createForBatches: async },
  threads: {
    create: () => poolOf('threads', 'conformance'),
    createForBatches: () => poolOf('threads', 'conformance', { isBatch: true }),
  },
  'threads with affinity': { create: () => poolOf('threads', 'conformance', { affinity: true }) },
  processes: {
    create: () => poolOf('processes', 'conformance'),
    createForBatches: () => poolOf('processes', 'conformance', { isBatch: true }),
  },
}

for (const [engine, subject] of Object.entries(subjects)) {
  describe(`the conformance suite on ${engine}`, { timeout: 240_000 }, () => {
    for (const { name, run } of engineConformance(subject)) test(`P1 · ${engine}: ${name}`, run)
  })
}
