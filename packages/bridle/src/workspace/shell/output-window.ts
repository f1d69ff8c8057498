// The two ends of a command's output. Holds no more than these, however much is printed.
import { OUTPUT_EDGE_BYTES } from '../limits.ts'

export class OutputWindow {
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  /** All bytes that came. */
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    const forHead = chunk.subarray(0, Math.max(0, OUTPUT_EDGE_BYTES - this.#headBytes))
    const forTail = chunk.subarray(forHead.length)
    if (forHead.length > 0) this.#head.push(Buffer.from(forHead))
    this.#headBytes += forHead.length
    if (forTail.length === 0) return
    // A copy: a piece of a large chunk would keep all of it.
    this.#tail.push(Buffer.from(forTail.subarray(-OUTPUT_EDGE_BYTES)))
    this.#tailBytes += Math.min(forTail.length, OUTPUT_EDGE_BYTES)
    if (this.#tailBytes > 4 * OUTPUT_EDGE_BYTES) this.#shrinkTail()
  }

  /** The output, with a line in place of what is left out. */
  text(): string {
    this.#shrinkTail()
    const leftOut = this.bytes - this.#headBytes - this.#tailBytes
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)]
    // Without a gap the two are decoded as one: a character may lie across the border.
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8')
    return `${head.toString('utf8')}\n[${leftOut} bytes are left out here.]\n${tail.toString('utf8')}`
  }

  #shrinkTail(): void {
    const tail = Buffer.from(Buffer.concat(this.#tail).subarray(-OUTPUT_EDGE_BYTES))
    this.#tail = [tail]
    this.#tailBytes = tail.length
  }
}
