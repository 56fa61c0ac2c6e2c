/** Every script by its name; its answers by Apache Kafka are in fixtures/<name>.json. */
import type { Script } from '../transcript.ts'
import { quotas, scram } from './clients.ts'
import { cluster, features, switchedOff } from './cluster.ts'
import { brokerChanges, brokerTable, described, otherChanges, topicChanges } from './configs.ts'
import { epochs, producers, recordDeletion, replicas, sizes } from './records.ts'
import { creation, creationConfigs, deletion, growth, paging } from './topics.ts'

export const scripts: Readonly<Record<string, Script>> = {
  creation,
  'creation-configs': creationConfigs,
  deletion,
  growth,
  paging,
  'record-deletion': recordDeletion,
  epochs,
  sizes,
  producers,
  replicas,
  described,
  'broker-table': brokerTable,
  'topic-changes': topicChanges,
  'broker-changes': brokerChanges,
  'other-changes': otherChanges,
  quotas,
  scram,
  cluster,
  features,
  'switched-off': switchedOff,
}
