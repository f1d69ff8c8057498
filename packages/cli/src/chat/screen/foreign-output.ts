// Captures other output while a chat owns the terminal: agents in a server of this process may print, and would garble
// the live rows. It is printed above them instead.

/** `write` bypasses the capture. `release` ends it. */
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
