import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFrames } from './stack-frames.ts'

test('[N230] a frame of Bridle itself is not one of the project, although the checkout has both', () => {
  const root = join(import.meta.dirname, '../../../..')
  const error = new TypeError('agent(): "nmae" is no field.')
  error.stack = `TypeError: agent(): "nmae" is no field.
    at agent (file://${root}/packages/agents/src/agent.ts:114:31)
    at file://${root}/agents/typo.ts?changed=0.1:3:16
    at ModuleJob.run (node:internal/modules/esm/module_job:345:25)`
  expect(projectFrames(error, root)).toEqual([{ path: join(root, 'agents/typo.ts'), line: 3, column: 16, name: null }])
})
