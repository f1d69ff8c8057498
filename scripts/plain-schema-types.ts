// The declarations that tsc emits for a schema hold the schema library's own types, many levels deep: compilers give up on them
// (TS2589), and a hover shows nothing that a person reads. Here each schema becomes the plain type of its values, an answer an
// interface with the meaning of each field as its comment, and the environment of a process a plain object.
import { posix } from 'node:path'
import { moduleOf } from './declaration-module.ts'
import {
  childrenOf,
  type DeclarationFile,
  docBefore,
  type Node,
  type Replacement,
  replaced,
  textOf,
} from './declaration-syntax.ts'

/** Schema constants by `file#name`: each becomes a type of the same name. */
export const schemaConstants = (files: Iterable<DeclarationFile>): Set<string> => {
  const found = new Set<string>()
  for (const file of files)
    for (const { name, type } of constantsOf(file))
      if (isSchema(type, file) || isTableOfSchemas(type, file)) found.add(`${file.path}#${name}`)
  return found
}

/** Types of answers by the name of their schema: `export type SessionRow = AnswerOf<typeof sessionRowSchema>`. */
export const answerTypes = (files: Iterable<DeclarationFile>): Map<string, AnswerType> => {
  const found = new Map<string, AnswerType>()
  for (const file of files)
    for (const { name, schema } of answersOf(file)) {
      const title = titleOf(schema, file)
      if (title !== null) found.set(title, { path: file.path, name })
    }
  return found
}

export interface AnswerType {
  readonly path: string
  readonly name: string
}

/** The file with plain types. `isConstant` answers for a name as it is used inside the file. */
export const withPlainTypes = (
  declarations: DeclarationFile,
  isConstant: (name: string) => boolean,
  answers: ReadonlyMap<string, AnswerType> = new Map(),
): string => {
  const { imports } = moduleOf(declarations)
  const imported = new Map<string, AnswerType>()
  const file: SidedFile = {
    ...declarations,
    nameOf: (title) => {
      const answer = answers.get(title)
      const isThere = answer && (answer.path === declarations.path || imports.has(answer.name))
      if (answer && !isThere) imported.set(answer.name, answer)
      return answer?.name ?? null
    },
  }
  const changes: Replacement[] = []
  for (const { name, schema, statement } of answersOf(file))
    changes.push({
      ...rangeOf(statement),
      text: indented(answerText(name, schema, file, docBefore(file, statement) !== null)),
    })
  for (const { name, type, statement } of constantsOf(file)) {
    if (!isConstant(name)) continue
    const prefix = statement.type === 'ExportNamedDeclaration' ? 'export ' : ''
    changes.push({ ...rangeOf(statement), text: `${prefix}type ${name} = ${indented(plain(type, file))};` })
  }
  const visit = (node: Node): void => {
    if (changes.some(({ start, end }) => start <= node.start && node.end <= end)) return
    const inferred = inferredType(node, file)
    const answer = answerSchemaOf(node, file)
    if (answer) changes.push({ ...rangeOf(node), text: indented(plain(answer, file)) })
    else if (inferred)
      changes.push({ ...rangeOf(node), text: indented(plain(inferred.of, { ...file, side: inferred.side })) })
    else if (node.type === 'TSTypeReference' && textOf(file, node) === 'NodeJS.ProcessEnv')
      changes.push({ ...rangeOf(node), text: ENVIRONMENT })
    else if (node.type === 'TSTypeQuery' && isConstant(textOf(file, node.exprName as Node)))
      changes.push({ ...rangeOf(node), text: textOf(file, node.exprName as Node) })
    else for (const child of childrenOf(node)) visit(child)
  }
  visit(file.program)
  const lines = [...imported.values()].map(({ path, name }) => {
    const from = posix.relative(posix.dirname(file.path), path.replace(/\.d\.ts$/, '.ts'))
    return `import type { ${name} } from '${from.startsWith('.') ? from : `./${from}`}';\n`
  })
  return lines.join('') + replaced(file.text, changes)
}

/** Type aliases of answers, each with the type of its schema. */
const answersOf = (file: DeclarationFile): { name: string; schema: Node; statement: Node }[] =>
  file.program.body.flatMap((statement) => {
    const declaration = (statement.declaration as Node | undefined) ?? statement
    if (declaration.type !== 'TSTypeAliasDeclaration') return []
    const schema = answerSchemaOf(declaration.typeAnnotation as Node, file)
    return schema ? [{ name: (declaration.id as Node & { name: string }).name, schema, statement }] : []
  })

/** The type of the schema in `AnswerOf<typeof schema>`. */
const answerSchemaOf = (node: Node, file: DeclarationFile): Node | null => {
  const [of] = argumentsOf(node)
  if (!of || libraryName(node, file) !== 'AnswerOf') return null
  const constant = constantsOf(file).find((each) => `typeof ${each.name}` === textOf(file, of))
  if (!constant) throw new Error(`${file.path}: AnswerOf is known for a schema of the same file only.`)
  return constant.type
}

/** An interface where the schema has a name, and else a type. */
const answerText = (name: string, schema: Node, file: SidedFile, hasDoc: boolean): string => {
  if (titleOf(schema, file) === null) return `export type ${name} = ${plain(schema, file)};`
  const [, meaning, , bases] = argumentsOf(schema)
  const comment = hasDoc ? '' : `${docOf(literalText(meaning as Node))}\n`
  const isExtended = libraryName(schema, file) === 'ExtendedSchema'
  const names = isExtended ? elements(bases as Node).map((base) => plain(base, file)) : []
  const heritage = isExtended ? ` extends ${names.join(', ')}` : ''
  return `${comment}export interface ${name}${heritage} ${answerMembers(schema, file)}`
}

const answerMembers = (schema: Node, file: SidedFile): string => {
  const [, , entries, rest] = argumentsOf(schema)
  const members = readonlyMembers(entries as Node, file)
  if (libraryName(schema, file) !== 'OpenSchema') return members
  return `${members.slice(0, -1)}readonly [name: string]: ${textOf(file, rest as Node)};\n}`
}

/** An answer by the name of its type; one without an exported type in place. */
const answerReference = (schema: Node, title: string, file: SidedFile): string => {
  const name = file.nameOf?.(title)
  if (name) return name
  if (libraryName(schema, file) === 'ExtendedSchema') throw new Error(`${file.path}: ${title} needs an exported type.`)
  return answerMembers(schema, file)
}

const titleOf = (schema: Node, file: DeclarationFile): string | null =>
  /^(Answer|Extended|Open)Schema$/.test(libraryName(schema, file) ?? '')
    ? literalText(argumentsOf(schema)[0] as Node)
    : null

const literalText = (node: Node): string => String((node.literal as { value?: unknown } | undefined)?.value ?? '')

const docOf = (meaning: string): string => `/** ${meaning.replaceAll('*/', '*\\/')} */`

/** `NodeJS.ProcessEnv` as it is: a project without Node's types has no such name. */
const ENVIRONMENT = '{ [name: string]: string | undefined }'

const rangeOf = ({ start, end }: Node) => ({ start, end })

const constantsOf = (file: DeclarationFile): { name: string; type: Node; statement: Node }[] =>
  file.program.body.flatMap((statement) => {
    const declaration = (statement.declaration as Node | undefined) ?? statement
    if (declaration.type !== 'VariableDeclaration') return []
    return (declaration.declarations as Node[]).flatMap(({ id }) => {
      const { name, typeAnnotation } = id as Node & { name: string; typeAnnotation?: { typeAnnotation: Node } }
      return typeAnnotation ? [{ name, type: typeAnnotation.typeAnnotation, statement }] : []
    })
  })

/** `Name` of `v.Name<…>`, where `v` is the schema library, and of the fields of answers. */
const libraryName = (node: Node, file: DeclarationFile): string | null => {
  if (node.type === 'TSImportType')
    return /^valibot$|\/fields\.ts$/.test(String((node.source as Node).value)) ? identifier(node.qualifier) : null
  const name = node.type === 'TSTypeReference' ? (node.typeName as Node) : null
  if (name?.type === 'Identifier') return fieldNamesIn(file).has(identifier(name)) ? identifier(name) : null
  if (name?.type !== 'TSQualifiedName') return null
  return librariesOf(file).has(identifier(name.left)) ? identifier(name.right) : null
}

const identifier = (node: unknown): string => (node as { name?: string }).name ?? ''

const isSchema = (node: Node, file: DeclarationFile): boolean =>
  /Schema(WithPipe)?$/.test(libraryName(node, file) ?? '')

const isTableOfSchemas = (node: Node, file: DeclarationFile): boolean => {
  const members = node.type === 'TSTypeLiteral' ? (node.members as Node[]) : []
  return members.length > 0 && members.every((member) => isSchema(memberType(member), file))
}

const inferredType = (node: Node, file: DeclarationFile): { of: Node; side: Side } | null => {
  const name = libraryName(node, file)
  const [of] = argumentsOf(node)
  if (!of || (name !== 'InferOutput' && name !== 'InferInput')) return null
  if (name === 'InferOutput') return { of, side: 'output' }
  // A constant becomes the output type of its schema, so the input type is written at the place that names it.
  const constant = constantsOf(file).find((each) => `typeof ${each.name}` === textOf(file, of))
  if (!constant) throw new Error(`${file.path}: InferInput is known for a schema of the same file only.`)
  return { of: constant.type, side: 'input' }
}

const argumentsOf = (node: Node): Node[] => ((node.typeArguments as { params: Node[] } | null)?.params ?? []) as Node[]
const memberType = (member: Node): Node =>
  (member.typeAnnotation as { typeAnnotation: Node } | null)?.typeAnnotation ?? member

type Side = 'input' | 'output'
interface SidedFile extends DeclarationFile {
  /** The side of a schema that is wanted: the type of its input, or of its output (the default). */
  readonly side?: Side
  /** The type of the answer with this name, which the file imports then. Null: the answer has no exported type. */
  readonly nameOf?: (title: string) => string | null
}

/** The type of the values of a schema type; any other type as it is. */
const plain = (node: Node, file: SidedFile): string => {
  if (node.type === 'TSTypeLiteral') return `{\n${(node.members as Node[]).map((each) => member(each, file)).join('')}}`
  if (node.type === 'TSTypeQuery') return textOf(file, node.exprName as Node)
  if (node.type === 'TSParenthesizedType') return plain(node.typeAnnotation as Node, file)
  if (node.type === 'TSIndexedAccessType')
    return `${plain(node.objectType as Node, file)}[${textOf(file, node.indexType as Node)}]`
  const name = libraryName(node, file)
  if (name === null) return textOf(file, node)
  const title = titleOf(node, file)
  if (title !== null) return answerReference(node, title, file)
  const make = shapes[name]
  if (!make)
    throw new Error(`${file.path}: no plain type is known for ${name}. Add it to scripts/plain-schema-types.ts.`)
  return make(argumentsOf(node), file)
}

/** By the depth of braces; a comment keeps its own. */
const indented = (text: string): string => {
  let depth = 0
  return text
    .split('\n')
    .map((each) => {
      const line = each.trim()
      if (/^(\/\*|\*)/.test(line)) return `${'    '.repeat(depth)}${line.replace(/^\*/, ' *')}`
      if (line.startsWith('}')) depth -= 1
      const made = `${'    '.repeat(depth)}${line}`
      if (line.endsWith('{')) depth += 1
      return made
    })
    .join('\n')
}

type Shape = (args: readonly Node[], file: SidedFile) => string

const first: Shape = ([node], file) => plain(node as Node, file)
/** The output type of a schema or of a step; without a second type it is the input type. */
const output: Shape = ([input, type = input], file) => textOf(file, type as Node)
const constant =
  (text: string): Shape =>
  () =>
    text
const orElse =
  (text: string): Shape =>
  (args, file) =>
    hasDefault(args, file) ? first(args, file) : `${first(args, file)} | ${text}`
/** A schema with a default gives it where a value is missing, so what comes out is never missing. */
const hasDefault: (...args: Parameters<Shape>) => boolean = ([, node], file) =>
  file.side !== 'input' && node !== undefined && textOf(file, node) !== 'undefined'
const readonlyMembers = (entries: Node, file: SidedFile): string =>
  `{\n${(entries.members as Node[]).map((each) => member(each, file, 'readonly ')).join('')}}`
/** With single quotes, like the sources. */
const quoted = (text: string): string => text.replaceAll(/"(\w*)"/g, "'$1'")
const elements = (node: Node): Node[] => {
  const tuple = node.type === 'TSTypeOperator' ? (node.typeAnnotation as Node) : node
  return tuple.elementTypes as Node[]
}
const loose = (entries: string): string => `${entries.slice(0, -1)}[key: string]: unknown;\n}`

const shapes: Readonly<Record<string, Shape>> = {
  StringSchema: constant('string'),
  NumberSchema: constant('number'),
  BooleanSchema: constant('boolean'),
  UnknownSchema: constant('unknown'),
  AnySchema: constant('any'),
  NullSchema: constant('null'),
  NeverSchema: constant('never'),
  LiteralSchema: (args, file) => quoted(first(args, file)),
  CustomSchema: first,
  GenericSchema: (args, file) => output(file.side === 'input' ? args.slice(0, 1) : args, file),
  PicklistSchema: ([options], file) =>
    options?.type === 'TSArrayType'
      ? `(${textOf(file, options)})[number]`
      : elements(options as Node)
          .map((each) => quoted(textOf(file, each)))
          .join(' | '),
  ArraySchema: (args, file) => `Array<${first(args, file)}>`,
  TupleSchema: ([items], file) => `[${elements(items as Node).map((each) => plain(each, file))}]`,
  RecordSchema: ([key, value], file) => `{ [key in ${plain(key as Node, file)}]: ${plain(value as Node, file)} }`,
  UnionSchema: ([options], file) =>
    elements(options as Node)
      .map((each) => plain(each, file))
      .join(' | '),
  VariantSchema: ([, options], file) => shapes.UnionSchema!([options as Node], file),
  OptionalSchema: orElse('undefined'),
  ExactOptionalSchema: first,
  NullableSchema: orElse('null'),
  NullishSchema: orElse('null | undefined'),
  ObjectSchema: first,
  StrictObjectSchema: first,
  LooseObjectSchema: (args, file) => loose(first(args, file)),
  SchemaWithPipe: ([steps], file) => {
    const [schema, ...actions] = elements(steps as Node)
    const changing = actions.findLast((each) => /^(Raw)?TransformAction$/.test(libraryName(each, file) ?? ''))
    return changing && file.side !== 'input' ? output(argumentsOf(changing), file) : plain(schema as Node, file)
  },
  KernelSchema: ([type], file) => textOf(file, type as Node),
  ValueField: ([type], file) => quoted(textOf(file, type as Node)),
  ChoiceField: ([values], file) => quoted(shapes.PicklistSchema!([values as Node], file)),
  ReferenceField: first,
  NullableField: (args, file) => `${first(args, file)} | null`,
  ListField: (args, file) => {
    const item = quoted(first(args, file))
    return `readonly ${/^\w+$/.test(item) ? item : `(${item})`}[]`
  },
  ObjectField: ([entries], file) => readonlyMembers(entries as Node, file),
  DictionaryField: (args, file) => `{ readonly [name: string]: ${quoted(first(args, file))} }`,
  OptionalField: first,
}

/** With its doc comment; a schema that takes `undefined` makes the key optional. */
const member = (node: Node, file: SidedFile, modifier = ''): string => {
  const type = memberType(node)
  const name = libraryName(type, file) ?? ''
  const isOptional =
    /^((Optional|ExactOptional|Nullish)Schema|OptionalField)$/.test(name) && !hasDefault(argumentsOf(type), file)
  const doc = docBefore(file, node)?.text ?? meaningOf(type, file)
  const key = `${modifier}${textOf(file, node.key as Node)}${isOptional ? '?' : ''}`
  return `${doc === null ? '' : `${doc}\n`}${key}: ${plain(type, file)};\n`
}

/** The meaning of a field, as its doc comment. */
const meaningOf = (type: Node, file: DeclarationFile): string | null => {
  const name = libraryName(type, file) ?? ''
  const args = argumentsOf(type)
  if (name === 'OptionalField' || name === 'NullableField') return meaningOf(args[0] as Node, file)
  return name.endsWith('Field') ? docOf(literalText(args[1] as Node)) : null
}

/** Names that a file imports from the fields of answers. */
const fieldNamesIn = ({ text }: DeclarationFile): ReadonlySet<string> => {
  const [, names = ''] = /^import (?:type )?\{([^}]*)\} from '[^']*\/fields\.ts'/m.exec(text) ?? []
  return new Set(names.split(',').map((name) => name.trim().replace(/^type /, '')))
}

/** The local names of the schema library and of the fields of answers. */
const librariesOf = ({ text }: DeclarationFile): ReadonlySet<string> =>
  new Set([...text.matchAll(LIBRARY)].map(([, name = '']) => name))

const LIBRARY = /^import (?:type )?\* as (\w+) from '(?:valibot|[^']*\/fields\.ts)'/gm
