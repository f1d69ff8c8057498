// `read_artifact`: the model reads a large result in pages. It is offered as soon as the session has such a result.
import { isJsonObject } from '@bridle/events/json'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { type SchemaIssue, type SchemaResult, writtenSchema } from '../../schemas/standard-schema.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import { asLoopTool } from '../tools/loop-tools.ts'

/** Characters of one page: some 2,000 tokens, and less than what becomes an artifact itself. */
const ARTIFACT_PAGE_CHARS = 8_000

export const READ_ARTIFACT = 'read_artifact'

interface PageRequest {
  readonly artifact_id: string
  readonly from: number
  readonly length: number
  /** The first and the last line, from 1; null: the page is given in characters. */
  readonly lines: readonly [number, number] | null
}

export const readArtifactTool = (reporter: RunReporter): Tool =>
  asLoopTool(
    tool({
      name: READ_ARTIFACT,
      description: `Reads a part of a large result that was kept as an artifact: at most ${ARTIFACT_PAGE_CHARS} characters, by position or by lines.`,
      input: PAGE,
      effect: 'pure',
      run: async (request) => {
        const text = await reporter.session.artifactText(request.artifact_id)
        if (text === null)
          throw new Error(
            `The session has no artifact "${request.artifact_id}". Take the id from the result of a call.`,
          )
        return pageOf(text, request)
      },
    }),
  )

/** The page with a line above it that says where it stands, and how to go on. */
export const pageOf = (text: string, { from, length, lines }: PageRequest): string => {
  const [start, end] = lines ? lineRange(text, lines) : [from, from + length]
  const first = wholeCharacter(text, Math.min(start, text.length))
  const last = wholeCharacter(text, Math.min(end, first + ARTIFACT_PAGE_CHARS, text.length))
  const rest = last < text.length ? ` Continue with from: ${last}.` : ' This is the end.'
  return `[Characters ${first} to ${last} of ${text.length}.${rest}]\n${text.slice(first, last)}`
}

const lineRange = (text: string, [first, last]: readonly [number, number]): [number, number] => {
  let line = 1
  let at = 0
  let start = first === 1 ? 0 : text.length
  while (line <= last) {
    const end = text.indexOf('\n', at)
    if (end < 0) return [start, text.length]
    at = end + 1
    line += 1
    if (line === first) start = at
  }
  return [start, at]
}

/** The position, or the one before it where it would split a character. */
const wholeCharacter = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at)

const PAGE = writtenSchema<PageRequest>(
  () => ({
    type: 'object',
    properties: {
      artifact_id: { type: 'string', description: 'The id, as the result of the call gives it.' },
      from: { type: 'integer', minimum: 0, description: 'The first character, from 0. Default 0.' },
      length: { type: 'integer', minimum: 1, maximum: ARTIFACT_PAGE_CHARS, description: 'How many characters.' },
      lines: { type: 'string', description: 'Lines instead of characters, from 1: "20" or "20-60".' },
    },
    required: ['artifact_id'],
  }),
  (value) => pageRequest(value),
)

const pageRequest = (value: unknown): SchemaResult<PageRequest> => {
  const issue = (field: string, message: string): { readonly issues: readonly SchemaIssue[] } => ({
    issues: [{ path: [field], message }],
  })
  const { artifact_id, from = 0, length = ARTIFACT_PAGE_CHARS, lines } = isJsonObject(value) ? value : {}
  if (typeof artifact_id !== 'string' || artifact_id === '')
    return issue('artifact_id', 'Expected the id of an artifact')
  if (!isCount(from, 0)) return issue('from', 'Expected a whole number of at least 0')
  if (!isCount(length, 1)) return issue('length', 'Expected a whole number of at least 1')
  if (lines === undefined) return { value: { artifact_id, from, length, lines: null } }
  const [, first, last = first] = (typeof lines === 'string' && /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(lines)) || []
  const range = [Number(first), Number(last)] as const
  return range[0] >= 1 && range[1] >= range[0]
    ? { value: { artifact_id, from, length, lines: range } }
    : issue('lines', 'Expected "20" or "20-60"')
}

const isCount = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && (value as number) >= least
