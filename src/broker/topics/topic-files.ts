/**
 * Where the partitions of topics lie in the storage: `topics/<folder of the topic>/<partition>`.
 */
import type { TopicSettings } from '../configs/topic-configs.ts'
import type { Disk } from '../log/disk.ts'
import { PartitionLog } from '../log/partition-log.ts'
import type { LogStorage } from '../log/storage.ts'
import { logConfig, type TopicFiles } from './registry.ts'

const topicsFolder = 'topics'

export function topicFiles(storage: LogStorage, root: string): TopicFiles {
  const { disk } = storage
  const topics = root === '' ? topicsFolder : `${root}/${topicsFolder}`
  return {
    open: (folder, partition, settings: TopicSettings, leaderEpoch) =>
      PartitionLog.open({
        storage,
        directory: `${topics}/${folder}/${partition}`,
        config: logConfig(settings),
        leaderEpoch,
      }),
    async removeOthers(folders) {
      for (const name of await disk.list(topics)) if (!folders.has(name)) await removeTree(disk, `${topics}/${name}`)
    },
    removeFolder: (folder) => removeTree(disk, `${topics}/${folder}`),
  }
}

/** A topic's folder: partitions, and files in them. */
async function removeTree(disk: Disk, folder: string): Promise<void> {
  for (const partition of await disk.list(folder)) {
    for (const file of await disk.list(`${folder}/${partition}`)) await disk.remove(`${folder}/${partition}/${file}`)
    await disk.removeDirectory(`${folder}/${partition}`)
  }
  await disk.removeDirectory(folder)
}
