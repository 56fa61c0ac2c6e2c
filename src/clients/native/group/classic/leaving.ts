/**
 * Saying goodbye. A goodbye that is lost, or said at the wrong door because the coordinator has moved, leaves our partitions to
 * nobody until the session ends: so it is said again, for a while. Not for ever: whoever closes does not wait for a broker
 * that is not there.
 */
import { isCoordinatorElsewhere } from '../../../../cluster/answers.ts'
import { Backoff } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import { leaveGroupApi } from '../../../../protocol/generated/13-leave-group.ts'
import type { MemberOptions } from '../../options.ts'

const leaveMaxMs = 5_000

export interface LeavingParts {
  readonly wire: Wire
  readonly coordinator: Coordinator
  readonly options: MemberOptions
}

export async function leaveGroup(parts: LeavingParts, memberId: string): Promise<void> {
  if (memberId === '') return
  const { clock } = parts.wire
  const { promise: timeUp, resolve } = Promise.withResolvers<void>()
  let isOver = false
  const cancel = clock.at(clock.now() + leaveMaxMs, () => {
    isOver = true
    resolve()
  })
  await Promise.race([insist(parts, memberId, () => isOver), timeUp])
  cancel()
}

async function insist(
  { wire, coordinator, options }: LeavingParts,
  memberId: string,
  isOver: () => boolean,
): Promise<void> {
  const backoff = new Backoff(wire.clock, options.backoff)
  const members = [{ memberId, groupInstanceId: options.instanceId }]
  while (wire.isOpen && !isOver()) {
    const node = await coordinator.find()
    if (node !== null) {
      const answer = await wire.ask(node, leaveGroupApi, { groupId: options.group, members }, { timeoutMs: leaveMaxMs })
      coordinator.learn(node, answer?.body.errorCode ?? null)
      // Whatever else it says, it has heard us: that the member is gone already, too.
      if (answer !== null && !isCoordinatorElsewhere(answer.body.errorCode)) return
    }
    await backoff.pause()
  }
}
