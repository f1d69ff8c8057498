// The checksum of SQLite's write-ahead log: two running sums over pairs of 32-bit words.

export type WalChecksum = readonly [number, number]

/** The sums after these bytes, a multiple of eight. The WAL's magic number says in which order a word's bytes are read. */
export const nextChecksum = (
  before: WalChecksum,
  buffer: Buffer,
  from: number,
  to: number,
  isBigEndian: boolean,
): WalChecksum => {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  let [first, second] = before
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0
  }
  return [first, second]
}
