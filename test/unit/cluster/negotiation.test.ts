/** Which versions are spoken, and what is said when there is none. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { software } from '../../../src/cluster/net/software.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { type ApiVersionsRequest, apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { allVersions, type Script } from './scripted-broker.ts'
import { clusterFor, scripted } from './support.ts'

const answering: Script = ({ api, reply }) => {
  if (api.key !== metadataApi.key) return false
  reply(metadataApi, { brokers: [] })
  return true
}

describe('negotiation', () => {
  test('we say who we are, and the version is the one of the package', async (t) => {
    const broker = await scripted(t, answering)
    const { cluster } = clusterFor(t, [broker.address])
    await cluster.ask(anyNode, metadataApi, { topics: [] })
    const [hello] = broker.of(apiVersionsApi)
    const { clientSoftwareName, clientSoftwareVersion } = hello!.body as ApiVersionsRequest
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    assert.deepEqual([clientSoftwareName, clientSoftwareVersion], ['fanlane', version])
    assert.equal(software.version, version)
    assert.equal(hello?.clientId, 'under-test')
    assert.equal(hello?.version, 4)
  })

  test('the newest version that both know, not above maxVersion', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (asked.api.key !== apiVersionsApi.key) return answering(asked)
      asked.reply(apiVersionsApi, { apiKeys: [{ apiKey: metadataApi.key, minVersion: 2, maxVersion: 9 }] })
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    assert.equal((await cluster.ask(anyNode, metadataApi, { topics: [] }))?.version, 9)
    const versions: number[] = []
    const question = (version: number): { topics: [] } => {
      versions.push(version)
      return { topics: [] }
    }
    assert.equal((await cluster.ask(anyNode, metadataApi, question, { maxVersion: 5 }))?.version, 5)
    assert.deepEqual(versions, [5])
    assert.deepEqual(
      broker.of(metadataApi).map(({ version }) => version),
      [9, 5],
    )
  })

  for (const [what, apiKeys, second] of [
    ['what it does know', [{ apiKey: apiVersionsApi.key, minVersion: 0, maxVersion: 2 }], 2],
    ['nothing more', [], 0],
  ] as const) {
    test(`an old broker refuses our ApiVersions in the oldest form and says ${what}`, async (t) => {
      const broker = await scripted(t, (asked) => {
        if (asked.api.key !== apiVersionsApi.key) return answering(asked)
        if (asked.version > 2) {
          asked.reply(apiVersionsApi, { errorCode: errorCodes.UNSUPPORTED_VERSION, apiKeys }, { version: 0 })
        } else asked.reply(apiVersionsApi, { apiKeys: [{ apiKey: metadataApi.key, minVersion: 0, maxVersion: 1 }] })
        return true
      })
      const { cluster } = clusterFor(t, [broker.address])
      assert.equal((await cluster.ask(anyNode, metadataApi, { topics: [] }))?.version, 1)
      assert.deepEqual(
        broker.of(apiVersionsApi).map(({ version }) => version),
        [4, second],
      )
    })
  }

  test('no version in common is told with both ranges and the fix, and the connection goes on', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (asked.api.key !== apiVersionsApi.key) return answering(asked)
      asked.reply(apiVersionsApi, {
        apiKeys: [
          ...allVersions.filter(({ apiKey }) => apiKey === metadataApi.key),
          { apiKey: heartbeatApi.key, minVersion: 90, maxVersion: 99 },
        ],
      })
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), {
      code: 'UNSUPPORTED_VERSION',
      message: /Heartbeat in versions 90 to 99, we speak 0 to 4: .*upgrade fanlane/,
    })
    await assert.rejects(cluster.ask(anyNode, { ...heartbeatApi, key: 99, name: 'Unheard' }, {}), {
      code: 'UNSUPPORTED_VERSION',
      message: /does not know Unheard: the broker is too old/,
    })
    const tooNew = { ...metadataApi, minVersion: 50, maxVersion: 60 }
    await assert.rejects(cluster.ask(anyNode, tooNew, {}), { message: /the broker is too old: upgrade it/ })
    assert.ok(await cluster.ask(anyNode, metadataApi, { topics: [] }))
    assert.equal(broker.sockets.length, 1)
  })

  test('features: those of the newest epoch count, whoever tells', async (t) => {
    const script =
      (epoch: bigint, level: number): Script =>
      (asked) => {
        if (asked.api.key !== apiVersionsApi.key) return answering(asked)
        asked.reply(apiVersionsApi, {
          apiKeys: allVersions,
          finalizedFeaturesEpoch: epoch,
          finalizedFeatures: [{ name: 'transaction.version', minVersionLevel: level, maxVersionLevel: level }],
        })
        return true
      }
    const [newer, older] = [await scripted(t, script(8n, 2)), await scripted(t, script(7n, 1))]
    const { cluster } = clusterFor(t, [newer.address])
    assert.equal(cluster.featureLevel('transaction.version'), 0)
    await cluster.ask(anyNode, metadataApi, { topics: [] })
    cluster.learnNodes([{ nodeId: 3, host: '127.0.0.1', port: older.port }], false)
    assert.ok(await cluster.ask(3, metadataApi, { topics: [] }))
    assert.equal(cluster.featureLevel('transaction.version'), 2)
    assert.equal(cluster.featureLevel('other'), 0)
  })
})
