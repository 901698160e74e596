/* The interface of CREST for `branchwise run`: every macro makes a variable input. */
#ifndef BRANCHWISE_CREST_H
#define BRANCHWISE_CREST_H

#ifdef __cplusplus
extern "C" {
#endif

void __CrestChar(char *variable);
void __CrestUChar(unsigned char *variable);
void __CrestShort(short *variable);
void __CrestUShort(unsigned short *variable);
void __CrestInt(int *variable);
void __CrestUInt(unsigned int *variable);
void __CrestLong(long *variable);
void __CrestULong(unsigned long *variable);
void __CrestFloat(float *variable);
void __CrestDouble(double *variable);

#ifdef __cplusplus
}
#endif

#define CREST_char(variable) __CrestChar(&(variable))
#define CREST_unsigned_char(variable) __CrestUChar(&(variable))
#define CREST_short(variable) __CrestShort(&(variable))
#define CREST_unsigned_short(variable) __CrestUShort(&(variable))
#define CREST_int(variable) __CrestInt(&(variable))
#define CREST_unsigned_int(variable) __CrestUInt(&(variable))
#define CREST_long(variable) __CrestLong(&(variable))
#define CREST_unsigned_long(variable) __CrestULong(&(variable))
#define CREST_float(variable) __CrestFloat(&(variable))
#define CREST_double(variable) __CrestDouble(&(variable))

#endif
