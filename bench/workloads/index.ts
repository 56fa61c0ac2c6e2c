/** All workloads, in the order in which they are run. */
import type { Workload } from '../core/workload.ts'
import { produce } from './p1-produce.ts'
import { keyOrder } from './w1-key-order.ts'
import { noOrder } from './w2-no-order.ts'
import { partitionOrder } from './w3-partition-order.ts'
import { noOp } from './w4-no-op.ts'
import { straggler } from './w5-straggler.ts'
import { cpu } from './w6-cpu.ts'
import { exactlyOnce } from './w7-exactly-once.ts'
import { latencies } from './w8-latency.ts'
import { growth } from './w9-growth.ts'
import { rebalance } from './w10-rebalance.ts'

// biome-ignore format: in two lines it is read as one
export const workloads: readonly Workload[] = [
  keyOrder, noOrder, partitionOrder, noOp, straggler, cpu, exactlyOnce, latencies, growth, rebalance, produce,
]
