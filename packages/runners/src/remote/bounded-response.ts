// An answer of a runner that is no stream. A runner is as trusted as what it runs, so its answers are read up to a limit,
// and a redirect is never followed: it would take a token, and the server's place in its network, wherever it points.

/** Bytes of an answer that is no stream, such as health, a refusal or a cancel: these have a few hundred. */
const ANSWER_BYTES_MAX = 64 * 1024

/** The whole text; throws, and closes the connection, once there are more bytes than an answer has. */
export const readRunnerText = async ({ body }: Response, max = ANSWER_BYTES_MAX): Promise<string> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > max) throw new Error(`The runner's answer is longer than ${max} bytes.`)
    parts.push(part)
  }
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
}

export class RunnerRedirect extends Error {
  readonly code = 'runner_redirect'
}

/** Throws `RunnerRedirect`; the answer's body is left unread. Status 0 is how some platforms show a redirect. */
export const refuseRedirect = async ({ status, body }: Response): Promise<void> => {
  if (status !== 0 && (status < 300 || status > 399)) return
  await body?.cancel().catch(() => {})
  throw new RunnerRedirect(
    `The runner answered with a redirect (${status}), which is not followed. Set its URL to the runner itself.`,
  )
}
