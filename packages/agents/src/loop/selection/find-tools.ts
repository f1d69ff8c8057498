// `find_tools`: the model searches among the tools that it is not offered. Those that it finds are offered for the rest of the session.
import { isJsonObject, type Json } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import { writtenSchema } from '../../schemas/standard-schema.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import { asLoopTool } from '../tools/loop-tools.ts'
import { toolIndex } from './tool-index.ts'

/** Tools that one search adds: a model that looks for one tool reads five descriptions, and a request grows by five schemas. */
const FOUND_PER_SEARCH = 5
/** Characters of a query of the model: a sentence. */
const QUERY_CHARS_MAX = 1_000
/** Characters of a description in the answer of a search: its first sentences. */
const DESCRIPTION_CHARS = 300

export const FIND_TOOLS = 'find_tools'

/** `offered` are the names that the model has already. */
export const findToolsTool = (tools: readonly Tool[], offered: () => readonly string[]): Tool =>
  asLoopTool(
    tool({
      name: FIND_TOOLS,
      description:
        'Searches for further tools: only some of them are offered here. Describe what the tool should do. Those that are found can be called from then on.',
      input: QUERY,
      effect: 'pure',
      always: true,
      run: ({ query }) => {
        const known = new Set(offered())
        const matches = toolIndex(tools)
          .search(query)
          .filter(({ tool: { name } }) => !known.has(name))
          .slice(0, FOUND_PER_SEARCH)
        return matches.length === 0
          ? { tools: [], note: 'No further tool fits. Try other words, or go on without.' }
          : {
              tools: matches.map(({ tool: { name, description } }) => ({
                name,
                description: truncate(description, DESCRIPTION_CHARS),
              })),
            }
      },
    }),
  )

export const foundIn = (result: Json): readonly string[] => {
  const tools = isJsonObject(result) ? result.tools : null
  if (!Array.isArray(tools)) return []
  return tools.flatMap((each) => (isJsonObject(each) && typeof each.name === 'string' ? [each.name] : []))
}

const QUERY = writtenSchema<{ query: string }>(
  () => ({
    type: 'object',
    properties: { query: { type: 'string', description: 'What the tool should do, in a few words.' } },
    required: ['query'],
  }),
  (value) => {
    const query = isJsonObject(value) ? value.query : null
    return typeof query === 'string' && query.trim() !== '' && query.length <= QUERY_CHARS_MAX
      ? { value: { query } }
      : { issues: [{ path: ['query'], message: `Expected a text of 1 to ${QUERY_CHARS_MAX} characters` }] }
  },
)
