// Rewords server refusals for the command line, where a request field is a flag.
import { FabricError } from '@bridle/client/http/error'

export const refusalText = (error: Error): string => {
  const { field, reason } = refusalParts(error)
  if (field === null) return reason
  const [name = '', ...inner] = field.split('.')
  return [FLAGS.get(name) ?? name, inner.join('.'), reason].filter((each) => each !== '').join(': ')
}

/** The reason without the field, for messages that already name it. */
export const refusalReason = (error: Error): string => refusalParts(error).reason

/** Drops sentences that contain a term of the wire. */
export const withoutSentence = ({ message }: Error, word: string): string =>
  message
    .split(/(?<=\.) /u)
    .filter((sentence) => !sentence.includes(word))
    .join(' ')

/** Parses `query: limit: Expected …`, and `body: ` before a sentence. */
export const refusalParts = (error: Error): { readonly field: string | null; readonly reason: string } => {
  const { message } = error
  const [place = '', field = '', ...rest] = message.split(': ')
  if (!(error instanceof FabricError) || error.status !== 400 || !PLACES.has(place))
    return { field: null, reason: message }
  return rest.length > 0 && FIELD.test(field)
    ? { field, reason: rest.join(': ') }
    : { field: null, reason: [field, ...rest].join(': ') }
}

const PLACES: ReadonlySet<string> = new Set(['query', 'body'])
const FIELD = /^[a-z_]+(?:\.\w+)*$/u

const SAME_NAMES = 'actor after args cursor kind limit model parent policy reason search status title workspace'
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...SAME_NAMES.split(' ').map((name): [string, string] => [name, `--${name}`]),
  ['workspace_mode', '--workspace-mode'],
  ['session_id', '--id'],
  ['from_event_id', '--from'],
  ['from_message', '--from'],
])
