// Output of others while a chat owns the terminal: a server in this process may run agents that print. Their lines would tear the
// live rows apart, so they are caught and printed above them.

/** Returns the function that writes to the terminal, and the one that gives the streams back. */
export const catchOutput = (
  onText: (text: string) => void,
): { readonly write: (text: string) => void; readonly release: () => void } => {
  const streams = [process.stdout, process.stderr]
  const originals = streams.map((stream) => stream.write)
  const [writeOut] = originals
  const caught = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined
    if (done) queueMicrotask(done)
    return true
  }) as typeof process.stdout.write
  for (const stream of streams) stream.write = caught
  return {
    write: (text) => void writeOut?.call(process.stdout, text),
    release: () => {
      for (const [at, stream] of streams.entries()) stream.write = originals[at] as typeof stream.write
    },
  }
}
