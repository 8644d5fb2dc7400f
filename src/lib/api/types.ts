/**
 * Types of the description format: a JSON document that describes a REST API
 * (spec: description-format.md).
 */

/** A parameter, a schema, or a property of a schema. Bounds and defaults are strings, as in the document. */
export interface Schema {
  readonly id?: string
  readonly $ref?: string
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'any' | 'null'
  readonly format?: string
  readonly location?: 'path' | 'query'
  readonly required?: boolean
  readonly repeated?: boolean
  readonly default?: string
  readonly minimum?: string
  readonly maximum?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly enumDescriptions?: readonly string[]
  readonly enumDeprecated?: readonly boolean[]
  readonly deprecated?: boolean
  /** Set only by the service; ignored in requests. */
  readonly readOnly?: boolean
  readonly description?: string
  /** IDs of the methods whose body requires this property, such as `drive.parents.insert`. */
  readonly annotations?: {readonly required?: readonly string[]}
  readonly items?: Schema
  readonly properties?: SchemaMap
  readonly additionalProperties?: Schema
}

export type SchemaMap = Readonly<Record<string, Schema>>

export interface MediaUpload {
  readonly accept?: readonly string[]
  readonly maxSize?: string
  readonly protocols?: Readonly<
    Partial<Record<'simple' | 'resumable', {readonly multipart?: boolean; readonly path: string}>>
  >
}

/** A method as written in a resource file, without derived fields. */
export interface MethodSource {
  readonly path: string
  readonly httpMethod: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters?: SchemaMap
  readonly request?: {readonly $ref: string}
  readonly response?: {readonly $ref: string}
  readonly scopes: readonly string[]
  readonly supportsMediaDownload?: boolean
  readonly useMediaDownloadService?: boolean
  readonly supportsMediaUpload?: boolean
  readonly mediaUpload?: MediaUpload
  readonly supportsSubscription?: boolean
}

export interface Method extends MethodSource {
  readonly id: string
  readonly flatPath: string
  /** The names of the required parameters, those of the path first. */
  readonly parameterOrder?: readonly string[]
}

/** The methods of a resource group, by name. */
export type MethodSources = Readonly<Record<string, MethodSource>>

/** A group of methods, and of further groups. */
export interface Resource {
  readonly methods: Readonly<Record<string, Method>>
  readonly deprecated?: boolean
  readonly resources?: Readonly<Record<string, Resource>>
}

/** A regional endpoint of the service (spec: description-format.md, endpoints). */
export interface Endpoint {
  readonly endpointUrl?: string
  readonly location?: string
  readonly description?: string
  readonly deprecated?: boolean
}

/** The whole document, as a service publishes it. */
export interface RestDescription {
  readonly kind: 'discovery#restDescription'
  readonly discoveryVersion: string
  /** `name:version`, such as `drive:v2`. */
  readonly id: string
  readonly name: string
  readonly canonicalName: string
  readonly version: string
  readonly revision: string
  readonly title: string
  readonly description: string
  readonly icons?: {readonly x16?: string; readonly x32?: string}
  readonly documentationLink?: string
  readonly labels?: readonly string[]
  readonly protocol: string
  /** Ends with a slash, as does `servicePath` unless it is empty. */
  readonly rootUrl: string
  readonly servicePath: string
  readonly baseUrl: string
  readonly basePath: string
  /** Relative to `rootUrl`; '' if the service has no batch requests. */
  readonly batchPath: string
  readonly endpoints?: readonly Endpoint[]
  /** Parameters common to all methods. */
  readonly parameters: SchemaMap
  readonly auth: {
    readonly oauth2: {readonly scopes: Readonly<Record<string, {readonly description: string}>>}
  }
  readonly features?: readonly string[]
  readonly schemas: SchemaMap
  /** Methods outside any resource. */
  readonly methods?: Readonly<Record<string, Method>>
  readonly resources: Readonly<Record<string, Resource>>
}
