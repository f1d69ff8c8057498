// Citations as agents write them: each has its own fields, so the page takes the names that are usual.

interface Fields {
  readonly [name: string]: unknown
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

const firstText = (fields: Fields, ...names: readonly string[]): string => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return ''
}

export interface Citation {
  readonly title: string
  readonly place: string
}

export const citationOf = (value: unknown): Citation => {
  if (typeof value === 'string' || typeof value === 'number') return { title: String(value), place: '' }
  const fields = fieldsOf(value)
  const place = firstText(fields, 'url', 'uri', 'path', 'source', 'file', 'id')
  const title = firstText(fields, 'title', 'name', 'text', 'quote') || place || JSON.stringify(value).slice(0, 200)
  return { title, place: place === title ? '' : place }
}

export interface PackDocument {
  readonly id: string
  readonly tokens: number
  readonly why: string
}

export interface ContextPack {
  readonly tokens: number
  readonly documents: readonly PackDocument[]
  readonly leftOut: readonly PackDocument[]
}

export const contextPackOf = (value: unknown): ContextPack | null => {
  const fields = fieldsOf(value)
  if (!Array.isArray(fields.documents)) return null
  const documents = fields.documents.map(documentOf)
  const sum = documents.reduce((total, { tokens }) => total + tokens, 0)
  return {
    tokens: typeof fields.tokens === 'number' ? fields.tokens : sum,
    documents,
    leftOut: Array.isArray(fields.left_out) ? fields.left_out.map(documentOf) : [],
  }
}

const documentOf = (value: unknown): PackDocument => {
  const fields = fieldsOf(value)
  return {
    id: firstText(fields, 'id', 'path', 'title'),
    tokens: typeof fields.tokens === 'number' ? fields.tokens : 0,
    why: firstText(fields, 'why', 'reason'),
  }
}
