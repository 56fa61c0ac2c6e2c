/** What an admin promises, on whichever broker it talks to. */
import type { Suite } from '../../support/targets.ts'
import { groupSuite } from './groups.suite.ts'
import { topicSuite } from './topics.suite.ts'

export const adminSuite: Suite = (target) => {
  topicSuite(target)
  groupSuite(target)
}
