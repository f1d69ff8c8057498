import { test } from 'vitest'
import { isThorough } from './variants.ts'

/** A test beyond those that every run of `npm test` needs: `npm run test:long` plays it with the rest of its file. */
export const longTest = (name: string, run: () => Promise<void>): void => {
  if (isThorough) test(name, run)
}
