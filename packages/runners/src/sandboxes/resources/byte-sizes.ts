// Numbers of bytes as people write and read them: 4 GiB, 512 MiB.

const UNITS: readonly string[] = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export const formatBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power]}`
}

/** Null: the text names no size. Without a unit the number counts bytes. */
export const parseByteText = (text: string): number | null => {
  const [, number, unit = 'bytes'] = /^(\d+(?:\.\d+)?) ?([KMGT]iB)?$/.exec(text.trim()) ?? []
  return number === undefined ? null : Math.round(Number(number) * 1024 ** UNITS.indexOf(unit))
}
