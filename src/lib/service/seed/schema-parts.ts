/** Builds JSON Schemas of the values in a seed. */

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'

/** The part of JSON SeedSchema that seeds use. */
export interface SeedSchema {
  readonly type?: SchemaType | readonly SchemaType[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SeedSchema>>
  readonly required?: readonly string[]
  /** The schema of all other fields; `false` refuses them. */
  readonly additionalProperties?: boolean | SeedSchema
  readonly items?: SeedSchema
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly $ref?: `#/$defs/${string}`
}

const text = (description: string, rest: SeedSchema = {}): SeedSchema => ({
  type: 'string',
  description,
  ...rest,
})
const flag = (description: string): SeedSchema => ({type: 'boolean', description})
const number = (description: string, minimum = 0): SeedSchema => ({
  type: 'integer',
  description,
  minimum,
})
const list = (items: SeedSchema, description: string): SeedSchema => ({
  type: 'array',
  items,
  description,
})
const any = (description: string): SeedSchema => ({type: 'object', description})
const ref = (name: string): SeedSchema => ({$ref: `#/$defs/${name}`})
const fields = (
  description: string,
  properties: Readonly<Record<string, SeedSchema>>,
  required: readonly string[] = [],
): SeedSchema => ({type: 'object', description, additionalProperties: false, properties, required})

const id = (what: string) =>
  text(`ID of ${what} (default: a new one).`, {pattern: '^[\\w-]{1,200}$'})
const date = (what: string) =>
  text(`${what}: a time such as 2027-03-01T12:00:00Z, or an age such as 7d.`)
const login = (what: string) => text(`Login of ${what}.`)
/** A user who may have been deleted. */
const formerLogin = (what: string): SeedSchema => ({
  type: ['string', 'null'],
  description: `Login of ${what}; null for a deleted user.`,
})

/** Several fields with the same schema. */
const named = (schema: SeedSchema, names: readonly string[]): Record<string, SeedSchema> =>
  Object.fromEntries(names.map(name => [name, schema]))

/** Builds the schemas of values. */
export const schemaOf = {
  text,
  flag,
  number,
  list,
  any,
  ref,
  fields,
  id,
  date,
  login,
  formerLogin,
  named,
}
