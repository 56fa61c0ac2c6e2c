/** The handler of the conformance suite, as a module. */
export {
  conformanceBatchHandler as handleBatch,
  conformanceHandler as default,
} from '../../../../src/testing/engine-conformance/handler.ts'
