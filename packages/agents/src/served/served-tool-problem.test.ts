import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../tools/tool.ts'
import { servedToolProblem } from './served-tool-problem.ts'

const named = (name: string) => tool({ name, description: 'Does it.', run: () => null })
const dated = tool({ name: 'deploy', description: 'Does it.', input: z.object({ at: z.bigint() }), run: () => null })

test.each<[string, unknown, RegExp | null]>([
  ['none', undefined, null],
  ['good ones', [named('deploy'), named('bash_history')], null],
  ['no list', named('deploy'), /^engines\.claude\.tools is not a list of tools\.$/],
  ['no tool', [{ name: 'deploy' }], /^engines\.claude\.tools\[0\] is not a tool\. Make it with tool\(\)\.$/],
  ['a source', [{ name: 'docs', open: () => null }], /"docs" is a source of tools, which only an agent with a model/],
  ['two of one name', [named('a'), named('b'), named('a')], /^Two tools of engines\.claude\.tools have the name "a"\./],
  ['a name of the engine', [named('bash')], /^"bash" of engines\.claude\.tools has the name of a tool of the engine\./],
  ['too many', Array.from({ length: 101 }, (_, n) => named(`t${n}`)), /has 101 tools\. An engine takes at most 100\.$/],
  [
    'a schema without JSON Schema',
    [dated],
    /^The input of "deploy" of engines\.claude\.tools cannot be written as JSON Schema/,
  ],
])('[EN55] %s', (_name, tools, problem) => {
  const found = servedToolProblem('engines.claude.tools', tools, ['Bash', 'Read'])
  if (problem) expect(found).toMatch(problem)
  else expect(found).toBeNull()
})
