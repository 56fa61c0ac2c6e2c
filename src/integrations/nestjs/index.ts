/** NestJS controllers on the parallel consumer: `fanlane/nestjs`. */
export { FanlaneContext, type FanlaneContextArgs } from './context.ts'
export { LetErrorsThrough } from './errors.ts'
export {
  FANLANE,
  type FanlaneEvents,
  type FanlaneStatus,
  FanlaneStrategy,
  type FanlaneStrategyOptions,
} from './strategy.ts'
