import { type Check, collect } from './finding.ts'

/** A statement, as its first words tell; a word of English that begins a sentence is no statement. */
const STATEMENT =
  /^\s*(?:SELECT\s+[\w*(]|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:TABLE|(?:UNIQUE\s+)?INDEX)\s|ALTER\s+TABLE\s|DROP\s+(?:TABLE|INDEX)\s|WITH\s+(?:RECURSIVE\s+)?\w+\s*(?:\(.*\)\s*)?AS\s*\(|PRAGMA\s+\w)/

/** Tables and their layout are known in `stores` and nowhere else, so that a migration has one place to look at. */
export const straySql: Check = (source) =>
  collect(source, (node) => {
    const text =
      node.type === 'Literal' && typeof node.value === 'string'
        ? node.value
        : node.type === 'TemplateLiteral'
          ? node.quasis.map(({ value }) => value.raw).join('x')
          : ''
    return STATEMENT.test(text) ? 'SQL belongs into `stores`' : undefined
  })
