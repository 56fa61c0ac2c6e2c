/** What there is to say about a cluster of one, and what is switched off in it. */
import { describeAclsApi } from '../../../../../src/protocol/generated/29-describe-acls.ts'
import { createAclsApi } from '../../../../../src/protocol/generated/30-create-acls.ts'
import { deleteAclsApi } from '../../../../../src/protocol/generated/31-delete-acls.ts'
import { createDelegationTokenApi } from '../../../../../src/protocol/generated/38-create-delegation-token.ts'
import { renewDelegationTokenApi } from '../../../../../src/protocol/generated/39-renew-delegation-token.ts'
import { expireDelegationTokenApi } from '../../../../../src/protocol/generated/40-expire-delegation-token.ts'
import { describeDelegationTokenApi } from '../../../../../src/protocol/generated/41-describe-delegation-token.ts'
import { describeQuorumApi } from '../../../../../src/protocol/generated/55-describe-quorum.ts'
import { updateFeaturesApi } from '../../../../../src/protocol/generated/57-update-features.ts'
import { describeClusterApi } from '../../../../../src/protocol/generated/60-describe-cluster.ts'
import { unregisterBrokerApi } from '../../../../../src/protocol/generated/64-unregister-broker.ts'
import type { Script } from '../transcript.ts'

export const cluster: Script = async (to) => {
  for (const version of [0, 1, 2]) {
    const request = { includeClusterAuthorizedOperations: true }
    await to.ask('with what may be done', describeClusterApi, version, request)
    await to.ask('without', describeClusterApi, version, {})
  }
  await to.ask('with fenced ones', describeClusterApi, 2, { includeFencedBrokers: true })
  for (const endpointType of [2, 3]) await to.ask(`endpoint ${endpointType}`, describeClusterApi, 2, { endpointType })
  await to.ask('another broker', unregisterBrokerApi, 0, { brokerId: 7 })
  await to.ask('no broker', unregisterBrokerApi, 0, { brokerId: -1 })

  const quorum = (say: string, topicName: string, partitionIndex: number, version: number) => {
    const topics = [{ topicName, partitions: [{ partitionIndex }] }]
    return to.ask(say, describeQuorumApi, version, { topics }, (answer) => ({
      ...answer,
      topics: answer.topics.map((topic) => ({
        ...topic,
        partitions: topic.partitions.map(({ leaderEpoch: _, highWatermark: end, currentVoters, ...same }) => ({
          ...same,
          currentVoters: currentVoters.map(({ logEndOffset, ...voter }) => ({
            ...voter,
            isBehind: logEndOffset < end,
          })),
        })),
      })),
    }))
  }
  for (const version of [0, 1, 2]) await quorum('the quorum', '__cluster_metadata', 0, version)
  await quorum('another topic', 'nope', 0, 2)
  await quorum('another partition', '__cluster_metadata', 1, 2)
}

export const features: Script = async (to) => {
  type Wish = readonly [feature: string, maxVersionLevel: number, upgradeType: number]
  const update = (say: string, wishes: Wish[], version = 1) => {
    const featureUpdates = wishes.map(([feature, maxVersionLevel, upgradeType]) => ({
      feature,
      maxVersionLevel,
      upgradeType,
    }))
    return to.ask(say, updateFeaturesApi, version, { featureUpdates, validateOnly: true, timeoutMs: 30_000 })
  }
  await update('nothing', [])
  await update('unknown', [['foo', 1, 1]])
  await update('unknown', [['foo', 1, 1]], 2)
  for (const version of [1, 2]) await update('as it is', [['metadata.version', 27, 1]], version)
  await update('one as it is, one unknown', [
    ['group.version', 1, 1],
    ['foo', 1, 1],
  ])
  await update('too high', [['metadata.version', 99, 1]])
  await update('down without saying so', [['metadata.version', 20, 1]])
  await update('down, whatever is lost, to less than nothing', [['group.version', -1, 2]])
  await update('an unknown kind', [['group.version', 0, 7]])
}

export const switchedOff: Script = async (to) => {
  const any = { resourceTypeFilter: 1, patternTypeFilter: 1, operation: 1, permissionType: 1 }
  const filter = { ...any, resourceNameFilter: null, principalFilter: null, hostFilter: null }
  for (const version of [1, 2, 3]) await to.ask('access', describeAclsApi, version, filter)
  const acl = { resourceType: 2, resourceName: 'a', resourcePatternType: 3, principal: 'User:a', host: '*' }
  const creations = [
    { ...acl, operation: 3, permissionType: 3 },
    { ...acl, principal: 'x', operation: 3, permissionType: 3 },
  ]
  await to.ask('access', createAclsApi, 3, { creations })
  await to.ask('no access', createAclsApi, 3, { creations: [] })
  await to.ask('access', deleteAclsApi, 3, { filters: [filter, filter] })
  await to.ask('no access', deleteAclsApi, 3, { filters: [] })

  const maxLifetimeMs = -1n
  const nobody = { ownerPrincipalType: null, ownerPrincipalName: null }
  await to.ask('a token', createDelegationTokenApi, 1, { maxLifetimeMs })
  await to.ask('a token', createDelegationTokenApi, 3, { maxLifetimeMs, ...nobody })
  const owner = { ownerPrincipalType: 'User', ownerPrincipalName: 'a' }
  await to.ask('a token for another', createDelegationTokenApi, 3, { maxLifetimeMs, ...owner })
  const hmac = Buffer.from('a')
  await to.ask('a token', renewDelegationTokenApi, 2, { hmac, renewPeriodMs: 1n })
  await to.ask('a token', expireDelegationTokenApi, 2, { hmac, expiryTimePeriodMs: 1n })
  await to.ask('all tokens', describeDelegationTokenApi, 3, { owners: null })
  await to.ask('no tokens', describeDelegationTokenApi, 3, { owners: [] })
}
