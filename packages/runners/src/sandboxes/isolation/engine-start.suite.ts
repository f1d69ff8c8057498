// Runners without walls, for tests of what they do otherwise.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { IsolationPlan } from './isolation-plan.ts'

/** The folder is one that the test made: root's engines, which are another user, may enter it. */
export const withoutIsolation = (folder: string): { readonly isolation: IsolationPlan } => {
  chmodSync(folder, 0o711)
  return { isolation: { backend: 'process', folder: join(folder, 'run'), readOnly: [], hidden: [] } }
}
