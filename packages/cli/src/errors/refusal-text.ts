// The words of a server about a request that it refuses, for the person who typed a command: a field of the request is a flag here.
import { FabricError } from '@bridle/client/http/error'

/** The message of an error. Of a refused field it names the flag, and not the part of the request in which the field was sent. */
export const refusalText = (error: Error): string => {
  const { field, reason } = refusalParts(error)
  if (field === null) return reason
  const [name = '', ...inner] = field.split('.')
  return [FLAGS.get(name) ?? name, inner.join('.'), reason].filter((each) => each !== '').join(': ')
}

/** The same without the field, behind words that name it already. */
export const refusalReason = (error: Error): string => refusalParts(error).reason

/** The message without the sentences that have a word of the wire, behind which the words of the command follow. */
export const withoutSentence = ({ message }: Error, word: string): string =>
  message
    .split(/(?<=\.) /u)
    .filter((sentence) => !sentence.includes(word))
    .join(' ')

/** The parts of `query: limit: Expected …`, and of `body: ` before a whole sentence. */
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

/** Flags that have the name of the field, and those with another one. */
const SAME_NAMES = 'actor after args cursor kind limit model parent policy reason search status title workspace'
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...SAME_NAMES.split(' ').map((name): [string, string] => [name, `--${name}`]),
  ['workspace_mode', '--workspace-mode'],
  ['session_id', '--id'],
  ['from_event_id', '--from'],
  ['from_message', '--from'],
])
