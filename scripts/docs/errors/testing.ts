import type { Group } from './entry.ts'

export const testing: Group = {
  title: 'Testing',
  about: 'Thrown by `simulate()`.',
  entries: {
    SIMULATION_FAILED: [
      'A promise was broken in a simulated run, or not everything was finished in the end.',
      'A defect, in your handler or in fanlane. The message has the seed and what happened last.',
      'Run it again with the same seed: it happens again.',
    ],
  },
}
