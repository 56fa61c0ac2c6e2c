/**
 * WriteTxnMarkers: ends a transaction in single partitions. Brokers send it to one another; here it comes only from the tool
 * that aborts a transaction which hangs.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { writeTxnMarkersApi } from '../../protocol/generated/27-write-txn-markers.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function writeTxnMarkers(broker: Broker): Route {
  return route(writeTxnMarkersApi, {
    handle: async ({ markers }) => ({
      markers: await Promise.all(
        markers.map(async (marker) => ({
          producerId: marker.producerId,
          topics: await Promise.all(
            marker.topics.map(async ({ name, partitionIndexes }) => ({
              name,
              partitions: await Promise.all(
                partitionIndexes.map(async (partitionIndex) => ({
                  partitionIndex,
                  errorCode: await broker.markers.append(name, partitionIndex, {
                    kind: marker.transactionResult ? 'commit' : 'abort',
                    producerId: Number(marker.producerId),
                    producerEpoch: marker.producerEpoch,
                    coordinatorEpoch: marker.coordinatorEpoch,
                  }),
                })),
              ),
            })),
          ),
        })),
      ),
    }),
    refuse: ({ markers }, errorCode) => ({
      markers: markers.map(({ producerId, topics }) => ({
        producerId,
        topics: topics.map(({ name, partitionIndexes }) => ({
          name,
          partitions: partitionIndexes.map((partitionIndex) => ({
            partitionIndex,
            errorCode: errorCode === 0 ? errorCodes.NONE : errorCode,
          })),
        })),
      })),
    }),
  })
}
