/** The producer's public names. */

export { checkProducerOptions, type ProducerOptions } from './options.ts'
export type { Partitioner, PartitionerRecord } from './partitioner.ts'
export { openProducer, type Producer, type ProducerTransaction } from './producer.ts'
export type { Bytes, ProducerHeaders, ProducerRecord } from './record.ts'
export { type Delivered, DeliveryError } from './ticket.ts'
export type { TransactionOffsets } from './transactions/offsets-input.ts'
