/** All conformance scripts, by subject. */
import type { Script } from '../script.ts'
import { coordinators } from './coordinators.ts'
import { fencing } from './fencing.ts'
import { halfEnded } from './half-ended.ts'
import { holes } from './holes.ts'
import { joining } from './joining.ts'
import { leaderEpochs } from './leader-epochs.ts'
import { membership } from './membership.ts'
import { offsets } from './offsets.ts'
import { producing } from './producing.ts'
import { reading } from './reading.ts'
import { silence } from './silence.ts'
import { staticMembers } from './static-members.ts'
import { transactions } from './transactions.ts'
import { txnOffsets } from './txn-offsets.ts'

export const scripts: Readonly<Record<string, readonly Script[]>> = {
  joining,
  membership,
  silence,
  staticMembers,
  offsets,
  transactions,
  fencing,
  txnOffsets,
  halfEnded,
  producing,
  reading,
  holes,
  leaderEpochs,
  coordinators,
}
