// Incremental SHA-256: Web Crypto needs the whole input at once, and an export may exceed memory.

/** The fractional parts of the cube roots of the first 64 primes. */
const constants = (): Uint32Array => {
  const words = new Uint32Array(64)
  for (let prime = 2, count = 0; count < 64; prime++) {
    let isPrime = true
    for (let factor = 2; factor * factor <= prime; factor++) if (prime % factor === 0) isPrime = false
    if (!isPrime) continue
    const root = Math.cbrt(prime)
    words[count] = Math.floor((root - Math.floor(root)) * 2 ** 32)
    count += 1
  }
  return words
}

const K = /* @__PURE__ */ constants()

export class Sha256 {
  readonly #hash = new Uint32Array([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ])
  readonly #block = new Uint8Array(64)
  readonly #words = new Uint32Array(64)
  readonly #encoder = new TextEncoder()
  #used = 0
  #bytes = 0

  add(text: string): void {
    this.#addBytes(this.#encoder.encode(text))
  }

  hex(): string {
    const bits = this.#bytes * 8
    const zeros = (119 - (this.#bytes % 64)) % 64
    const end = new Uint8Array(1 + zeros + 8)
    end[0] = 0x80
    const view = new DataView(end.buffer)
    view.setUint32(1 + zeros, Math.floor(bits / 2 ** 32))
    view.setUint32(5 + zeros, bits >>> 0)
    this.#addBytes(end)
    return [...this.#hash].map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  #addBytes(bytes: Uint8Array): void {
    this.#bytes += bytes.length
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(64 - this.#used, bytes.length - at)
      this.#block.set(bytes.subarray(at, at + count), this.#used)
      this.#used += count
      at += count
      if (this.#used === 64) {
        this.#compress()
        this.#used = 0
      }
    }
  }

  #compress(): void {
    const [words, hash, block] = [this.#words, this.#hash, this.#block]
    for (let i = 0; i < 16; i++) {
      const at = 4 * i
      words[i] =
        (byte(block, at) << 24) | (byte(block, at + 1) << 16) | (byte(block, at + 2) << 8) | byte(block, at + 3)
    }
    for (let i = 16; i < 64; i++) {
      const [x, y] = [word(words, i - 15), word(words, i - 2)]
      const early = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
      const late = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
      words[i] = word(words, i - 16) + early + word(words, i - 7) + late
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
    for (let i = 0; i < 64; i++) {
      const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const first = (h + sum + ((e & f) ^ (~e & g)) + word(K, i) + word(words, i)) | 0
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) hash[index] = word(hash, index) + value
  }
}

const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by))
const word = (words: Uint32Array, index: number): number => words[index] ?? 0
const byte = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0
