/** Who we are in the group, as far as writing needs to know. */
import type { LeaseName } from '../../../kernel/events.ts'

export interface WriterName {
  readonly memberId: string
  readonly generationId: number
  readonly groupInstanceId: string | null
}

export interface GroupIdentity {
  /** null: we are no member now. */
  memberName(): WriterName | null
  /** A request in this name was answered with this. Without it, a member that was put out would try until a heartbeat tells. */
  refused(name: WriterName, code: number): void
  /** Whether this lease is still ours. */
  holds(lease: LeaseName): boolean
}
