import type { TopicSettings } from '../configs/topic-configs.ts'
import type { PartitionLog } from './partition-log.ts'

export async function compactPartition(_log: PartitionLog, _settings: TopicSettings, _nowMs: number): Promise<void> {}
